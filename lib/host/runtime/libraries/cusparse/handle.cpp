// cuSPARSE's handle, names of statuses, log, and the descriptors of matrices of the older calls.
// Calls that are missing here and beside are named by the linker.
#include "handle.h"

#include <cstdio>

#include "cuset_host/cuda_types.h"

#if CUSPARSE_VERSION >= 12500

using namespace cuset_host;
using namespace cuset_host::sparse;

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

}  // namespace

extern "C" {

cusparseStatus_t cusparseCreate(cusparseHandle_t* handle) {
    return create<cusparseStatus_t>(handle);
}
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) {
    return destroy<cusparseStatus_t>(handle);
}
cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int* version) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    return give<cusparseStatus_t>(version, CUSPARSE_VERSION);
}
cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int* value) {
    switch (type) {
        case MAJOR_VERSION: return give<cusparseStatus_t>(value, CUSPARSE_VER_MAJOR);
        case MINOR_VERSION: return give<cusparseStatus_t>(value, CUSPARSE_VER_MINOR);
        case PATCH_LEVEL: return give<cusparseStatus_t>(value, CUSPARSE_VER_PATCH);
        default: return CUSPARSE_STATUS_INVALID_VALUE;
    }
}
const char* cusparseGetErrorName(cusparseStatus_t status) { return words_of(status).name; }
const char* cusparseGetErrorString(cusparseStatus_t status) { return words_of(status).text; }

CUSET_HOST_SETTING(cusparse, Stream, cusparseStatus_t, cusparseHandle_t, cudaStream_t, stream)
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    return set_member(handle, &cusparseContext::pointers, mode,
                      mode == CUSPARSE_POINTER_MODE_HOST || mode == CUSPARSE_POINTER_MODE_DEVICE);
}
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t* mode) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    return give<cusparseStatus_t>(mode, handle->pointers);
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

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t* made) {
    return create<cusparseStatus_t>(made);
}
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descriptor) {
    return destroy(descriptor, CUSPARSE_STATUS_SUCCESS);
}

#define CUSET_HOST_SETTING_OF_MATRIX(Name, T, member, least, most)                  \
    cusparseStatus_t cusparseSetMat##Name(cusparseMatDescr_t descriptor, T value) { \
        return set_member(descriptor, &cusparseMatDescr::member, value,             \
                          value >= least && value <= most);                         \
    }                                                                               \
    T cusparseGetMat##Name(const cusparseMatDescr_t descriptor) { return descriptor->member; }
CUSET_HOST_SETTING_OF_MATRIX(Type, cusparseMatrixType_t, type, CUSPARSE_MATRIX_TYPE_GENERAL,
                             CUSPARSE_MATRIX_TYPE_TRIANGULAR)
CUSET_HOST_SETTING_OF_MATRIX(FillMode, cusparseFillMode_t, fill, CUSPARSE_FILL_MODE_LOWER,
                             CUSPARSE_FILL_MODE_UPPER)
CUSET_HOST_SETTING_OF_MATRIX(DiagType, cusparseDiagType_t, diagonal, CUSPARSE_DIAG_TYPE_NON_UNIT,
                             CUSPARSE_DIAG_TYPE_UNIT)
CUSET_HOST_SETTING_OF_MATRIX(IndexBase, cusparseIndexBase_t, base, CUSPARSE_INDEX_BASE_ZERO,
                             CUSPARSE_INDEX_BASE_ONE)
#undef CUSET_HOST_SETTING_OF_MATRIX

}  // extern "C"

#endif
