// A product of cuBLAS, a transform of cuFFT, and the handles that both need.
#include <hipblas/hipblas.h>
#include <hip/hip_runtime.h>
#include <hipfft/hipfft.h>

#include <cstdio>

int main() {
    const int n = 3;
    float a[n * n], b[n * n], c[n * n], *da, *db, *dc;
    for (int i = 0; i < n * n; ++i) a[i] = i, b[i] = i % 2;
    hipMalloc(&da, sizeof a);
    hipMalloc(&db, sizeof b);
    hipMalloc(&dc, sizeof c);
    hipMemcpy(da, a, sizeof a, hipMemcpyHostToDevice);
    hipMemcpy(db, b, sizeof b, hipMemcpyHostToDevice);
    hipblasHandle_t handle;
    if (hipblasCreate(&handle) != HIPBLAS_STATUS_SUCCESS) return 1;
    const float one = 1, zero = 0;
    hipblasSgemm(handle, HIPBLAS_OP_N, HIPBLAS_OP_T, n, n, n, &one, da, n, db, n, &zero, dc, n);
    hipMemcpy(c, dc, sizeof c, hipMemcpyDeviceToHost);
    float sum = 0;
    hipblasSasum(handle, n * n, da, 1, &sum);
    hipblasDestroy(handle);
    std::printf("%g %g %g\n", c[0], c[8], sum);
    hipfftComplex signal[8], *device;
    for (int i = 0; i < 8; ++i) signal[i].x = i % 4 == 0, signal[i].y = 0;
    hipMalloc(&device, sizeof signal);
    hipMemcpy(device, signal, sizeof signal, hipMemcpyHostToDevice);
    hipfftHandle plan;
    if (hipfftPlan1d(&plan, 8, HIPFFT_C2C, 1) != HIPFFT_SUCCESS) return 2;
    hipfftExecC2C(plan, device, device, HIPFFT_FORWARD);
    hipMemcpy(signal, device, sizeof signal, hipMemcpyDeviceToHost);
    hipfftDestroy(plan);
    std::printf("%g %g %g\n", signal[0].x, signal[1].x, signal[2].x);
    hipFree(da);
    hipFree(db);
    hipFree(dc);
    hipFree(device);
}
