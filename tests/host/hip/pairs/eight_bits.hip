// Floats of eight bits, of both forms, from floats and back.
#include <hip/hip_fp8.h>
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void k(const float* x, float* y, unsigned char* z) {
    const int i = threadIdx.x;
    y[i] = float(__hip_fp8_e4m3(x[i])) + float(__hip_fp8_e5m2(x[i]));
    z[i] = __hip_cvt_float_to_fp8(x[i], __HIP_SATFINITE, __HIP_E4M3);
}
int main() {
    float x[8], y[8]; unsigned char z[8], *dz; float *dx, *dy;
    for (int i = 0; i < 8; ++i) x[i] = i * i * 11.3f;
    hipMalloc(&dx, 32); hipMalloc(&dy, 32); hipMalloc(&dz, 8);
    hipMemcpy(dx, x, 32, hipMemcpyHostToDevice);
    k<<<1, 8>>>(dx, dy, dz);
    hipMemcpy(y, dy, 32, hipMemcpyDeviceToHost); hipMemcpy(z, dz, 8, hipMemcpyDeviceToHost);
    for (int i = 0; i < 8; ++i) printf("%g %d\n", y[i], z[i]);
}
