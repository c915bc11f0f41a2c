// A program for both, by macros: CUDA's names are the program's own where it defines them.
#if defined(__HIPCC__)
#include <hip/hip_runtime.h>
#define cudaMalloc hipMalloc
#define cudaFree hipFree
#define cudaMemcpy hipMemcpy
#define cudaMemcpyDeviceToHost hipMemcpyDeviceToHost
#define cudaStream_t hipStream_t
#define cudaSuccess hipSuccess
#else
#include <cuda_runtime.h>
#endif
#include <hip/hip_runtime_api.h>

#define LAUNCH(kernel, grid, block, ...) hipLaunchKernelGGL(kernel, grid, block, 0, 0, __VA_ARGS__)
#define GPU(name) hip##name

template <class T>
__global__ void fill(T* x, T value) {
    x[threadIdx.x] = value;
}
__global__ void nothing() {}

int main() {
    int host[32] = {}, *x;
    if (cudaMalloc(&x, sizeof host) != cudaSuccess) return 1;
    LAUNCH(fill<int>, 1, 32, x, 7);
    hipLaunchKernelGGL(nothing, 1, 1, 0, 0);
    void* arguments[] = {&x, &host[1]};
    host[1] = 9;
    if (hipLaunchKernel(reinterpret_cast<const void*>(&fill<int>), dim3(1), dim3(16), arguments, 0, 0) != hipSuccess) return 2;
    if (GPU(DeviceSynchronize)() != hipSuccess) return 3;
    cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(x);
    return host[15] == 9 && host[31] == 7 ? 0 : 4;
}
