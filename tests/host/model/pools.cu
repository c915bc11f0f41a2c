// Memory pools: the default one and a program's own, and what they count.
#include <cstdint>
#include <cstdio>

static int failures = 0;

#define MUST(condition)                                         \
    do {                                                        \
        if (!(condition)) {                                     \
            ++failures;                                         \
            std::printf("line %d: %s\n", __LINE__, #condition); \
        }                                                       \
    } while (0)

static std::uint64_t of(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
    std::uint64_t value = ~0ull;
    MUST(cudaMemPoolGetAttribute(pool, attribute, &value) == cudaSuccess);
    return value;
}

int main() {
    int has_pools = 0;
    MUST(cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, 0) == cudaSuccess);
    MUST(has_pools == 1);
    cudaMemPool_t standard = nullptr, own = nullptr;
    MUST(cudaDeviceGetDefaultMemPool(&standard, 0) == cudaSuccess && standard != nullptr);
    std::uint64_t threshold = UINT64_MAX;
    MUST(cudaMemPoolSetAttribute(standard, cudaMemPoolAttrReleaseThreshold, &threshold) ==
         cudaSuccess);
    MUST(of(standard, cudaMemPoolAttrReleaseThreshold) == UINT64_MAX);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    int* x = nullptr;
    MUST(cudaMallocAsync(&x, 4096, stream) == cudaSuccess && x != nullptr);
    MUST(of(standard, cudaMemPoolAttrUsedMemCurrent) == 4096);
    MUST(of(standard, cudaMemPoolAttrReservedMemCurrent) >= 4096);
    MUST(cudaMemsetAsync(x, 1, 4096, stream) == cudaSuccess);
    MUST(cudaFreeAsync(x, stream) == cudaSuccess);
    MUST(of(standard, cudaMemPoolAttrUsedMemCurrent) == 0);
    MUST(of(standard, cudaMemPoolAttrUsedMemHigh) == 4096);
    MUST(of(standard, cudaMemPoolAttrReservedMemCurrent) > 0);  // the threshold keeps it
    MUST(cudaMemPoolTrimTo(standard, 0) == cudaSuccess);
    MUST(of(standard, cudaMemPoolAttrReservedMemCurrent) == 0);
    cudaMemPoolProps wanted = {};
    wanted.allocType = cudaMemAllocationTypePinned;
    wanted.location.type = cudaMemLocationTypeDevice;
    MUST(cudaMemPoolCreate(&own, &wanted) == cudaSuccess);
    MUST(cudaMallocFromPoolAsync(&x, 100, own, stream) == cudaSuccess);
    MUST(of(own, cudaMemPoolAttrUsedMemCurrent) == 100);
    MUST(of(standard, cudaMemPoolAttrUsedMemCurrent) == 0);
    MUST(cudaFreeAsync(x, stream) == cudaSuccess);
    MUST(cudaDeviceSetMemPool(0, own) == cudaSuccess);
    MUST(cudaMallocAsync(&x, 64, stream) == cudaSuccess);
    MUST(of(own, cudaMemPoolAttrUsedMemCurrent) == 64);
    MUST(cudaFree(x) == cudaSuccess);
    MUST(cudaMemPoolDestroy(standard) == cudaErrorInvalidValue);
    MUST(cudaMemPoolDestroy(own) == cudaSuccess);
    std::printf("%d failures\n", failures);
    return failures != 0;
}
