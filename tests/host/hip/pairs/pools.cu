// Memory in the order of a stream, and of a pool.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void count(int* x, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) x[i] = i;
}

int main() {
    int host[500], *x, *y;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMallocAsync((void**)&x, sizeof host, stream);
    count<<<4, 64, 0, stream>>>(x, 500);
    cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost, stream);
    cudaFreeAsync(x, stream);
    cudaStreamSynchronize(stream);
    std::printf("%d\n", host[499]);
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = 0;
    cudaMemPool_t pool;
    unsigned long long keep = 1 << 20, kept = 0;
    cudaMemPoolCreate(&pool, &properties);
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep);
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept);
    cudaMallocFromPoolAsync((void**)&y, sizeof host, pool, stream);
    count<<<1, 32, 0, stream>>>(y, 500);
    cudaMemcpyAsync(host, y, sizeof host, cudaMemcpyDeviceToHost, stream);
    cudaFreeAsync(y, stream);
    cudaStreamSynchronize(stream);
    cudaMemPoolDestroy(pool);
    std::printf("%d %llu\n", host[123], kept);
    cudaStreamDestroy(stream);
}
