// cuBLAS's handles and copies of vectors and matrices. Its products and solutions are plain loops
// in files beside this. Calls that are missing here are named by the linker.
#include "handle.h"

#include "cuset_host/cuda_types.h"
#include "cuset_host/faults.h"

using namespace cuset_host;

namespace {

/// Copies columns at once, or in a stream.
cublasStatus_t copy_columns(std::int64_t rows, std::int64_t columns, std::int64_t bytes,
                            const void* from, std::int64_t apart_from, void* to,
                            std::int64_t apart_to, cudaMemcpyKind kind,
                            const cudaStream_t* stream = nullptr) {
    if (rows < 0 || columns < 0 || bytes <= 0 || apart_from <= 0 || apart_to <= 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (rows == 0 || columns == 0) return CUBLAS_STATUS_SUCCESS;
    const auto size = static_cast<std::size_t>(bytes);
    const std::size_t pitch = size * static_cast<std::size_t>(apart_to),
                      pitch_from = size * static_cast<std::size_t>(apart_from),
                      width = size * static_cast<std::size_t>(rows),
                      height = static_cast<std::size_t>(columns);
    const cudaError_t done =
        stream == nullptr
            ? cudaMemcpy2D(to, pitch, from, pitch_from, width, height, kind)
            : cudaMemcpy2DAsync(to, pitch, from, pitch_from, width, height, kind, *stream);
    return done == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

}  // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* h) { return create<cublasStatus_t>(h); }
cublasStatus_t cublasDestroy_v2(cublasHandle_t h) { return destroy<cublasStatus_t>(h); }
cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* version) {
    return give<cublasStatus_t>(version, CUBLAS_VERSION);
}

CUSET_HOST_SETTING(cublas, Stream_v2, cublasStatus_t, cublasHandle_t, cudaStream_t, stream)
CUSET_HOST_SETTING(cublas, PointerMode_v2, cublasStatus_t, cublasHandle_t, cublasPointerMode_t,
                   pointers)
CUSET_HOST_SETTING(cublas, MathMode, cublasStatus_t, cublasHandle_t, cublasMath_t, math)
CUSET_HOST_SETTING(cublas, AtomicsMode, cublasStatus_t, cublasHandle_t, cublasAtomicsMode_t,
                   atomics)
CUSET_HOST_SETTING(cublas, SmCountTarget, cublasStatus_t, cublasHandle_t, int, multiprocessors)

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t h, void*, size_t) {
    return h == nullptr ? CUBLAS_STATUS_NOT_INITIALIZED : CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value) {
    switch (type) {
        case MAJOR_VERSION: return give<cublasStatus_t>(value, CUBLAS_VER_MAJOR);
        case MINOR_VERSION: return give<cublasStatus_t>(value, CUBLAS_VER_MINOR);
        case PATCH_LEVEL: return give<cublasStatus_t>(value, CUBLAS_VER_PATCH);
        default: return CUBLAS_STATUS_INVALID_VALUE;
    }
}
size_t cublasGetCudartVersion() { return CUDART_VERSION; }
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

#define CUSET_HOST_COPIES(Set, kind, Int, end)                                                     \
    cublasStatus_t cublas##Set##Matrix##end(Int rows, Int columns, Int bytes, const void* a,       \
                                            Int lda, void* b, Int ldb) {                           \
        return copy_columns(rows, columns, bytes, a, lda, b, ldb, kind);                           \
    }                                                                                              \
    cublasStatus_t cublas##Set##MatrixAsync##end(Int rows, Int columns, Int bytes, const void* a,  \
                                                 Int lda, void* b, Int ldb, cudaStream_t stream) { \
        return copy_columns(rows, columns, bytes, a, lda, b, ldb, kind, &stream);                  \
    }                                                                                              \
    cublasStatus_t cublas##Set##Vector##end(Int n, Int bytes, const void* x, Int step_x, void* y,  \
                                            Int step_y) {                                          \
        return copy_columns(1, n, bytes, x, step_x, y, step_y, kind);                              \
    }                                                                                              \
    cublasStatus_t cublas##Set##VectorAsync##end(Int n, Int bytes, const void* x, Int step_x,      \
                                                 void* y, Int step_y, cudaStream_t stream) {       \
        return copy_columns(1, n, bytes, x, step_x, y, step_y, kind, &stream);                     \
    }
CUSET_HOST_COPIES(Set, cudaMemcpyHostToDevice, int, )
CUSET_HOST_COPIES(Set, cudaMemcpyHostToDevice, int64_t, _64)
CUSET_HOST_COPIES(Get, cudaMemcpyDeviceToHost, int, )
CUSET_HOST_COPIES(Get, cudaMemcpyDeviceToHost, int64_t, _64)
#undef CUSET_HOST_COPIES

}  // extern "C"
