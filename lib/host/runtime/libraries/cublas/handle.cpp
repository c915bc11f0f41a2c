// cuBLAS's handles and copies of vectors and matrices. Its products and solutions are plain loops
// in files beside this. Calls that are missing here are named by the linker. Empty on machines
// without the toolkit's headers, where no program can include cuBLAS's.
#include "cuset_host/cuda_types.h"

#if __has_include(<cublas_v2.h>)

#include "cuset_host/faults.h"
#include "handle.h"

using namespace cuset_host;

namespace {

/// Gives copy(to, apart_to, from, apart_from, width, height), all but the last in bytes, what
/// cudaMemcpy2D and its like take.
template <class Copy>
cublasStatus_t copy_columns(int rows, int columns, int bytes, const void* from, int apart_from,
                            void* to, int apart_to, const Copy& copy) {
    if (rows < 0 || columns < 0 || bytes <= 0 || apart_from <= 0 || apart_to <= 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (rows == 0 || columns == 0) return CUBLAS_STATUS_SUCCESS;
    const auto size = static_cast<std::size_t>(bytes);
    const cudaError_t done =
        copy(to, size * static_cast<std::size_t>(apart_to), from,
             size * static_cast<std::size_t>(apart_from), size * static_cast<std::size_t>(rows),
             static_cast<std::size_t>(columns));
    return done == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}
auto at_once(cudaMemcpyKind kind) {
    return [kind](void* to, std::size_t apart_to, const void* from, std::size_t apart_from,
                  std::size_t width, std::size_t height) {
        return cudaMemcpy2D(to, apart_to, from, apart_from, width, height, kind);
    };
}
auto in_stream(cudaMemcpyKind kind, cudaStream_t stream) {
    return [kind, stream](void* to, std::size_t apart_to, const void* from, std::size_t apart_from,
                          std::size_t width, std::size_t height) {
        return cudaMemcpy2DAsync(to, apart_to, from, apart_from, width, height, kind, stream);
    };
}

}  // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* h) {
    if (h == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    *h = new cublasContext;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t h) {
    if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    delete h;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* version) {
    if (version == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

#define CUSET_HOST_SETTING(Name, T, member)                       \
    cublasStatus_t cublasSet##Name(cublasHandle_t h, T value) {   \
        if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;   \
        h->member = value;                                        \
        return CUBLAS_STATUS_SUCCESS;                             \
    }                                                             \
    cublasStatus_t cublasGet##Name(cublasHandle_t h, T* value) {  \
        if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;   \
        if (value == nullptr) return CUBLAS_STATUS_INVALID_VALUE; \
        *value = h->member;                                       \
        return CUBLAS_STATUS_SUCCESS;                             \
    }
CUSET_HOST_SETTING(Stream_v2, cudaStream_t, stream)
CUSET_HOST_SETTING(PointerMode_v2, cublasPointerMode_t, pointers)
CUSET_HOST_SETTING(MathMode, cublasMath_t, math)
CUSET_HOST_SETTING(AtomicsMode, cublasAtomicsMode_t, atomics)
#undef CUSET_HOST_SETTING

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t h, void*, size_t) {
    return h == nullptr ? CUBLAS_STATUS_NOT_INITIALIZED : CUBLAS_STATUS_SUCCESS;
}
const char* cublasGetStatusName(cublasStatus_t status) {
    switch (status) {
        case CUBLAS_STATUS_SUCCESS: return "CUBLAS_STATUS_SUCCESS";
        case CUBLAS_STATUS_NOT_INITIALIZED: return "CUBLAS_STATUS_NOT_INITIALIZED";
        case CUBLAS_STATUS_ALLOC_FAILED: return "CUBLAS_STATUS_ALLOC_FAILED";
        case CUBLAS_STATUS_INVALID_VALUE: return "CUBLAS_STATUS_INVALID_VALUE";
        case CUBLAS_STATUS_ARCH_MISMATCH: return "CUBLAS_STATUS_ARCH_MISMATCH";
        case CUBLAS_STATUS_MAPPING_ERROR: return "CUBLAS_STATUS_MAPPING_ERROR";
        case CUBLAS_STATUS_EXECUTION_FAILED: return "CUBLAS_STATUS_EXECUTION_FAILED";
        case CUBLAS_STATUS_INTERNAL_ERROR: return "CUBLAS_STATUS_INTERNAL_ERROR";
        case CUBLAS_STATUS_NOT_SUPPORTED: return "CUBLAS_STATUS_NOT_SUPPORTED";
        case CUBLAS_STATUS_LICENSE_ERROR: return "CUBLAS_STATUS_LICENSE_ERROR";
        default: return "CUBLAS_STATUS_UNKNOWN";
    }
}
const char* cublasGetStatusString(cublasStatus_t status) { return cublasGetStatusName(status); }

cublasStatus_t cublasSetMatrix(int rows, int columns, int bytes, const void* a, int lda, void* b,
                               int ldb) {
    return copy_columns(rows, columns, bytes, a, lda, b, ldb, at_once(cudaMemcpyHostToDevice));
}
cublasStatus_t cublasGetMatrix(int rows, int columns, int bytes, const void* a, int lda, void* b,
                               int ldb) {
    return copy_columns(rows, columns, bytes, a, lda, b, ldb, at_once(cudaMemcpyDeviceToHost));
}
cublasStatus_t cublasSetMatrixAsync(int rows, int columns, int bytes, const void* a, int lda,
                                    void* b, int ldb, cudaStream_t stream) {
    return copy_columns(rows, columns, bytes, a, lda, b, ldb,
                        in_stream(cudaMemcpyHostToDevice, stream));
}
cublasStatus_t cublasGetMatrixAsync(int rows, int columns, int bytes, const void* a, int lda,
                                    void* b, int ldb, cudaStream_t stream) {
    return copy_columns(rows, columns, bytes, a, lda, b, ldb,
                        in_stream(cudaMemcpyDeviceToHost, stream));
}
cublasStatus_t cublasSetVector(int n, int bytes, const void* x, int step_x, void* y, int step_y) {
    return copy_columns(1, n, bytes, x, step_x, y, step_y, at_once(cudaMemcpyHostToDevice));
}
cublasStatus_t cublasGetVector(int n, int bytes, const void* x, int step_x, void* y, int step_y) {
    return copy_columns(1, n, bytes, x, step_x, y, step_y, at_once(cudaMemcpyDeviceToHost));
}
cublasStatus_t cublasSetVectorAsync(int n, int bytes, const void* x, int step_x, void* y,
                                    int step_y, cudaStream_t stream) {
    return copy_columns(1, n, bytes, x, step_x, y, step_y,
                        in_stream(cudaMemcpyHostToDevice, stream));
}
cublasStatus_t cublasGetVectorAsync(int n, int bytes, const void* x, int step_x, void* y,
                                    int step_y, cudaStream_t stream) {
    return copy_columns(1, n, bytes, x, step_x, y, step_y,
                        in_stream(cudaMemcpyDeviceToHost, stream));
}

}  // extern "C"

#endif
