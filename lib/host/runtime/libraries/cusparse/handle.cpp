// cuSPARSE's handle, names of statuses, log, and the descriptors of matrices of the older calls.
// Calls that are missing here and in library_cusparse_*.cpp are named by the linker. These files
// are empty on machines without the toolkit's headers, where no program can include cuSPARSE's.
#include "cuset_host/cuda_types.h"

#if __has_include(<cusparse.h>)

#include <cstdio>

#include "handle.h"

#if CUSPARSE_VERSION >= 12500

using namespace cuset_host;

namespace {

struct status_words {
    const char *name, *text;
};

status_words words_of(cusparseStatus_t status) {
    switch (status) {
        case CUSPARSE_STATUS_SUCCESS: return {"CUSPARSE_STATUS_SUCCESS", "success"};
        case CUSPARSE_STATUS_NOT_INITIALIZED:
            return {"CUSPARSE_STATUS_NOT_INITIALIZED", "initialization error"};
        case CUSPARSE_STATUS_ALLOC_FAILED: return {"CUSPARSE_STATUS_ALLOC_FAILED", "out of memory"};
        case CUSPARSE_STATUS_INVALID_VALUE:
            return {"CUSPARSE_STATUS_INVALID_VALUE", "invalid value"};
        case CUSPARSE_STATUS_ARCH_MISMATCH:
            return {"CUSPARSE_STATUS_ARCH_MISMATCH", "architecture mismatch"};
        case CUSPARSE_STATUS_MAPPING_ERROR:
            return {"CUSPARSE_STATUS_MAPPING_ERROR", "texture mapping error"};
        case CUSPARSE_STATUS_EXECUTION_FAILED:
            return {"CUSPARSE_STATUS_EXECUTION_FAILED", "kernel launch failure"};
        case CUSPARSE_STATUS_INTERNAL_ERROR:
            return {"CUSPARSE_STATUS_INTERNAL_ERROR", "internal error"};
        case CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED:
            return {"CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED", "matrix type not supported"};
        case CUSPARSE_STATUS_ZERO_PIVOT: return {"CUSPARSE_STATUS_ZERO_PIVOT", "zero pivot"};
        case CUSPARSE_STATUS_NOT_SUPPORTED:
            return {"CUSPARSE_STATUS_NOT_SUPPORTED", "operation not supported"};
        case CUSPARSE_STATUS_INSUFFICIENT_RESOURCES:
            return {"CUSPARSE_STATUS_INSUFFICIENT_RESOURCES", "insufficient resources"};
        default: return {"unrecognized error code", "unrecognized error code"};
    }
}

template <class T, class Of>
cusparseStatus_t set(Of* description, T Of::*member, T value, bool is_good) {
    if (description == nullptr || !is_good) return CUSPARSE_STATUS_INVALID_VALUE;
    description->*member = value;
    return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

cusparseStatus_t cusparseCreate(cusparseHandle_t* handle) {
    if (handle == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    *handle = new cusparseContext;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    delete handle;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int* version) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (version == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    *version = CUSPARSE_VERSION;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int* value) {
    if (value == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    switch (type) {
        case MAJOR_VERSION: *value = CUSPARSE_VER_MAJOR; break;
        case MINOR_VERSION: *value = CUSPARSE_VER_MINOR; break;
        case PATCH_LEVEL: *value = CUSPARSE_VER_PATCH; break;
        default: return CUSPARSE_STATUS_INVALID_VALUE;
    }
    return CUSPARSE_STATUS_SUCCESS;
}
const char* cusparseGetErrorName(cusparseStatus_t status) { return words_of(status).name; }
const char* cusparseGetErrorString(cusparseStatus_t status) { return words_of(status).text; }

cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    handle->stream = stream;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t* stream) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (stream == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    *stream = handle->stream;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    return set(handle, &cusparseContext::pointers, mode,
               mode == CUSPARSE_POINTER_MODE_HOST || mode == CUSPARSE_POINTER_MODE_DEVICE);
}
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t* mode) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (mode == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    *mode = handle->pointers;
    return CUSPARSE_STATUS_SUCCESS;
}

// Nothing is logged.
cusparseStatus_t cusparseLoggerSetCallback(cusparseLoggerCallback_t) {
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseLoggerSetFile(FILE*) { return CUSPARSE_STATUS_SUCCESS; }
cusparseStatus_t cusparseLoggerOpenFile(const char*) { return CUSPARSE_STATUS_SUCCESS; }
cusparseStatus_t cusparseLoggerSetLevel(int) { return CUSPARSE_STATUS_SUCCESS; }
cusparseStatus_t cusparseLoggerSetMask(int) { return CUSPARSE_STATUS_SUCCESS; }
cusparseStatus_t cusparseLoggerForceDisable() { return CUSPARSE_STATUS_SUCCESS; }

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t* descriptor) {
    if (descriptor == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    *descriptor = new cusparseMatDescr;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descriptor) {
    delete descriptor;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t description, cusparseMatrixType_t type) {
    return set(description, &cusparseMatDescr::type, type,
               type >= CUSPARSE_MATRIX_TYPE_GENERAL && type <= CUSPARSE_MATRIX_TYPE_TRIANGULAR);
}
cusparseMatrixType_t cusparseGetMatType(const cusparseMatDescr_t description) {
    return description->type;
}
cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t description, cusparseFillMode_t mode) {
    return set(description, &cusparseMatDescr::fill, mode,
               mode == CUSPARSE_FILL_MODE_LOWER || mode == CUSPARSE_FILL_MODE_UPPER);
}
cusparseFillMode_t cusparseGetMatFillMode(const cusparseMatDescr_t description) {
    return description->fill;
}
cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t description, cusparseDiagType_t type) {
    return set(description, &cusparseMatDescr::diagonal, type,
               type == CUSPARSE_DIAG_TYPE_NON_UNIT || type == CUSPARSE_DIAG_TYPE_UNIT);
}
cusparseDiagType_t cusparseGetMatDiagType(const cusparseMatDescr_t description) {
    return description->diagonal;
}
cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t description, cusparseIndexBase_t base) {
    return set(description, &cusparseMatDescr::base, base, sparse::is_base(base));
}
cusparseIndexBase_t cusparseGetMatIndexBase(const cusparseMatDescr_t description) {
    return description->base;
}

}  // extern "C"

#endif
#endif
