// finds: out_of_bounds line 13
// The bound lets one thread too many in, which writes past the end.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

__global__ void saxpy(int n, float a, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) {  // wrong
//=     if (i < n) {
        float value = i < n ? a * x[i] : a;
        y[i] = value;  // wrong
//=         y[i] += value;
    }
}

int main() {
    int n = 2000;
    float* x = (float*)malloc(n * sizeof(float));
    float* y = (float*)malloc(n * sizeof(float));
    for (int i = 0; i < n; i++) {
        x[i] = 1.0f * i;
        y[i] = 0.0f;
    }
    float *d_x, *d_y;
    cudaMalloc(&d_x, n * sizeof(float));
    cudaMalloc(&d_y, n * sizeof(float));
    cudaMemcpy(d_x, x, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_y, y, n * sizeof(float), cudaMemcpyHostToDevice);
    saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, d_x, d_y);
    cudaMemcpy(y, d_y, n * sizeof(float), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += y[i] != 2.0f * i;
    cudaFree(d_x);
    cudaFree(d_y);
    free(x);
    free(y);
    return wrong != 0;
}
