// What is asked of devices and kernels.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void fill(int* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = i;
}

__global__ void large(float* out) {
    extern __shared__ float memory[];
    memory[threadIdx.x * 200] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = memory[(blockDim.x - 1 - threadIdx.x) * 200];
}

int main() {
    int count = 0, grid = 0, block = 0, blocks = 0, lanes = 0, threads = 0, major = 0;
    cudaGetDeviceCount(&count);
    cudaDeviceGetAttribute(&lanes, cudaDevAttrWarpSize, 0);
    cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerBlock, 0);
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    cudaDeviceProp about;
    cudaGetDeviceProperties(&about, 0);
    std::printf("%d device, %d lanes, %d threads, %d\n", count, lanes, threads, about.major == major && about.maxThreadsPerBlock == threads);
    cudaOccupancyMaxPotentialBlockSize(&grid, &block, fill, 0, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 256, 0);
    std::printf("%d %d %d\n", grid > 0, block % 32, blocks > 0);
    const int bytes = 64 * 200 * sizeof(float);
    std::printf("%d\n", cudaFuncSetAttribute(reinterpret_cast<const void*>(large), cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(fill));
    float *out, host[64];
    cudaMalloc(&out, sizeof host);
    large<<<1, 64, bytes>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%g %g %d\n", host[0], host[63], attributes.maxThreadsPerBlock);
    cudaFree(out);
}
