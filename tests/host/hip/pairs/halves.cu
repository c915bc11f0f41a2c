// Half precision, one and two at a time.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>

__global__ void axpy(__half a, const __half* x, __half* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __hfma(a, x[i], y[i]);
}

__global__ void pairs(const __half2* x, float* sums) {
    const __half2 twice = __hadd2(x[threadIdx.x], x[threadIdx.x]);
    sums[threadIdx.x] = __low2float(twice) + __high2float(twice);
}

int main() {
    const int n = 64;
    __half x[n], y[n], *dx, *dy;
    float sums[n / 2], *ds;
    for (int i = 0; i < n; ++i) x[i] = __float2half(i * 0.25f), y[i] = __float2half(1);
    cudaMalloc(&dx, sizeof x);
    cudaMalloc(&dy, sizeof y);
    cudaMalloc(&ds, sizeof sums);
    cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y, sizeof y, cudaMemcpyHostToDevice);
    axpy<<<2, 32>>>(__float2half(2), dx, dy, n);
    pairs<<<1, n / 2>>>(reinterpret_cast<const __half2*>(dx), ds);
    cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost);
    cudaMemcpy(sums, ds, sizeof sums, cudaMemcpyDeviceToHost);
    std::printf("%g %g %g\n", __half2float(y[0]), __half2float(y[63]), sums[31]);
    cudaFree(dx);
    cudaFree(dy);
    cudaFree(ds);
}
