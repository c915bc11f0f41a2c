// Memory in the order of a stream, and of a pool.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void count(int* x, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) x[i] = i;
}

int main() {
    int host[500], *x, *y;
    hipStream_t stream;
    hipStreamCreate(&stream);
    hipMallocAsync((void**)&x, sizeof host, stream);
    count<<<4, 64, 0, stream>>>(x, 500);
    hipMemcpyAsync(host, x, sizeof host, hipMemcpyDeviceToHost, stream);
    hipFreeAsync(x, stream);
    hipStreamSynchronize(stream);
    std::printf("%d\n", host[499]);
    hipMemPoolProps properties = {};
    properties.allocType = hipMemAllocationTypePinned;
    properties.location.type = hipMemLocationTypeDevice;
    properties.location.id = 0;
    hipMemPool_t pool;
    unsigned long long keep = 1 << 20, kept = 0;
    hipMemPoolCreate(&pool, &properties);
    hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &keep);
    hipMemPoolGetAttribute(pool, hipMemPoolAttrReleaseThreshold, &kept);
    hipMallocFromPoolAsync((void**)&y, sizeof host, pool, stream);
    count<<<1, 32, 0, stream>>>(y, 500);
    hipMemcpyAsync(host, y, sizeof host, hipMemcpyDeviceToHost, stream);
    hipFreeAsync(y, stream);
    hipStreamSynchronize(stream);
    hipMemPoolDestroy(pool);
    std::printf("%d %llu\n", host[123], kept);
    hipStreamDestroy(stream);
}
