// Floats of eight bits, of both forms, from floats and back.
#include <cuda_fp8.h>
#include <cstdio>
__global__ void k(const float* x, float* y, unsigned char* z) {
    const int i = threadIdx.x;
    y[i] = float(__nv_fp8_e4m3(x[i])) + float(__nv_fp8_e5m2(x[i]));
    z[i] = __nv_cvt_float_to_fp8(x[i], __NV_SATFINITE, __NV_E4M3);
}
int main() {
    float x[8], y[8]; unsigned char z[8], *dz; float *dx, *dy;
    for (int i = 0; i < 8; ++i) x[i] = i * i * 11.3f;
    cudaMalloc(&dx, 32); cudaMalloc(&dy, 32); cudaMalloc(&dz, 8);
    cudaMemcpy(dx, x, 32, cudaMemcpyHostToDevice);
    k<<<1, 8>>>(dx, dy, dz);
    cudaMemcpy(y, dy, 32, cudaMemcpyDeviceToHost); cudaMemcpy(z, dz, 8, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 8; ++i) printf("%g %d\n", y[i], z[i]);
}
