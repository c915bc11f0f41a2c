// What HIP has in its runtime API and CUDA in its driver API alone: memory set word by word.
#include "calls.h"
#include "cuset_host/hip/calls.h"

namespace cuset_host {

namespace {

CUdeviceptr place_of(void* p) {
    (void)cuInit(0);
    return reinterpret_cast<CUdeviceptr>(p);
}

}  // namespace

cudaError_t set_halves(void* to, unsigned short value, size_t count) {
    return static_cast<cudaError_t>(cuMemsetD16(place_of(to), value, count));
}
cudaError_t set_words(void* to, unsigned value, size_t count) {
    return static_cast<cudaError_t>(cuMemsetD32(place_of(to), value, count));
}
cudaError_t set_words(void* to, unsigned value, size_t count, cudaStream_t stream) {
    return static_cast<cudaError_t>(cuMemsetD32Async(place_of(to), value, count, stream));
}

}  // namespace cuset_host
