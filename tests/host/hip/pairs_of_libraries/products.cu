// A product of cuBLAS, a transform of cuFFT, and the handles that both need.
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cufft.h>

#include <cstdio>

int main() {
    const int n = 3;
    float a[n * n], b[n * n], c[n * n], *da, *db, *dc;
    for (int i = 0; i < n * n; ++i) a[i] = i, b[i] = i % 2;
    cudaMalloc(&da, sizeof a);
    cudaMalloc(&db, sizeof b);
    cudaMalloc(&dc, sizeof c);
    cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice);
    cublasHandle_t handle;
    if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
    const float one = 1, zero = 0;
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, da, n, db, n, &zero, dc, n);
    cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost);
    float sum = 0;
    cublasSasum(handle, n * n, da, 1, &sum);
    cublasDestroy(handle);
    std::printf("%g %g %g\n", c[0], c[8], sum);
    cufftComplex signal[8], *device;
    for (int i = 0; i < 8; ++i) signal[i].x = i % 4 == 0, signal[i].y = 0;
    cudaMalloc(&device, sizeof signal);
    cudaMemcpy(device, signal, sizeof signal, cudaMemcpyHostToDevice);
    cufftHandle plan;
    if (cufftPlan1d(&plan, 8, CUFFT_C2C, 1) != CUFFT_SUCCESS) return 2;
    cufftExecC2C(plan, device, device, CUFFT_FORWARD);
    cudaMemcpy(signal, device, sizeof signal, cudaMemcpyDeviceToHost);
    cufftDestroy(plan);
    std::printf("%g %g %g\n", signal[0].x, signal[1].x, signal[2].x);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    cudaFree(device);
}
