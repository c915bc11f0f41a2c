// What is asked of devices and kernels.
#include <hip/hip_runtime.h>

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
    hipGetDeviceCount(&count);
    hipDeviceGetAttribute(&lanes, hipDeviceAttributeWarpSize, 0);
    hipDeviceGetAttribute(&threads, hipDeviceAttributeMaxThreadsPerBlock, 0);
    hipDeviceGetAttribute(&major, hipDeviceAttributeComputeCapabilityMajor, 0);
    hipDeviceProp_t about;
    hipGetDeviceProperties(&about, 0);
    std::printf("%d device, %d lanes, %d threads, %d\n", count, lanes, threads, about.major == major && about.maxThreadsPerBlock == threads);
    hipOccupancyMaxPotentialBlockSize(&grid, &block, fill, 0, 0);
    hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 256, 0);
    std::printf("%d %d %d\n", grid > 0, block % 32, blocks > 0);
    const int bytes = 64 * 200 * sizeof(float);
    std::printf("%d\n", hipFuncSetAttribute(reinterpret_cast<const void*>(large), hipFuncAttributeMaxDynamicSharedMemorySize, bytes));
    hipFuncAttributes attributes;
    hipFuncGetAttributes(&attributes, reinterpret_cast<const void*>(fill));
    float *out, host[64];
    hipMalloc(&out, sizeof host);
    hipLaunchKernelGGL(large, 1, 64, bytes, 0, out);
    hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost);
    std::printf("%g %g %d\n", host[0], host[63], attributes.maxThreadsPerBlock);
    hipFree(out);
}
