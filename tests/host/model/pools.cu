// Memory pools: the default one and a program's own, and what they count.
#include <cstdint>

#include "check.h"

static std::uint64_t of(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
    std::uint64_t value = ~0ull;
    OK(cudaMemPoolGetAttribute(pool, attribute, &value));
    return value;
}

int main() {
    int has_pools = 0;
    OK(cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, 0));
    MUST(has_pools == 1);
    cudaMemPool_t standard = nullptr, own = nullptr;
    MUST(cudaDeviceGetDefaultMemPool(&standard, 0) == cudaSuccess && standard != nullptr);
    std::uint64_t threshold = UINT64_MAX;
    OK(cudaMemPoolSetAttribute(standard, cudaMemPoolAttrReleaseThreshold, &threshold));
    MUST(of(standard, cudaMemPoolAttrReleaseThreshold) == UINT64_MAX);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    int* x = nullptr;
    MUST(cudaMallocAsync(&x, 4096, stream) == cudaSuccess && x != nullptr);
    MUST(of(standard, cudaMemPoolAttrUsedMemCurrent) == 4096);
    MUST(of(standard, cudaMemPoolAttrReservedMemCurrent) >= 4096);
    OK(cudaMemsetAsync(x, 1, 4096, stream));
    OK(cudaFreeAsync(x, stream));
    MUST(of(standard, cudaMemPoolAttrUsedMemCurrent) == 0);
    MUST(of(standard, cudaMemPoolAttrUsedMemHigh) == 4096);
    MUST(of(standard, cudaMemPoolAttrReservedMemCurrent) > 0);  // the threshold keeps it
    OK(cudaMemPoolTrimTo(standard, 0));
    MUST(of(standard, cudaMemPoolAttrReservedMemCurrent) == 0);
    cudaMemPoolProps wanted = {};
    wanted.allocType = cudaMemAllocationTypePinned;
    wanted.location.type = cudaMemLocationTypeDevice;
    OK(cudaMemPoolCreate(&own, &wanted));
    OK(cudaMallocFromPoolAsync(&x, 100, own, stream));
    MUST(of(own, cudaMemPoolAttrUsedMemCurrent) == 100);
    MUST(of(standard, cudaMemPoolAttrUsedMemCurrent) == 0);
    OK(cudaFreeAsync(x, stream));
    OK(cudaDeviceSetMemPool(0, own));
    OK(cudaMallocAsync(&x, 64, stream));
    MUST(of(own, cudaMemPoolAttrUsedMemCurrent) == 64);
    OK(cudaFree(x));
    MUST(cudaMemPoolDestroy(standard) == cudaErrorInvalidValue);
    OK(cudaMemPoolDestroy(own));
    return verdict();
}
