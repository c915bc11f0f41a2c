// finds: out_of_bounds line 20
// A radius too large for the table in constant memory.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#define RADIUS 4
#define TAPS (2 * RADIUS + 1)

__constant__ float c_taps[TAPS];

__global__ void convolve(const float* in, float* out, int n, int taps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int k = 0; k < taps; k++) {
        int j = i + k - RADIUS;
        float value = j >= 0 && j < n ? in[j] : 0.0f;
        sum += c_taps[k] * value;
    }
    out[i] = sum;
}

int main() {
    const int n = 2500;
    float taps[TAPS];
    for (int k = 0; k < TAPS; k++) taps[k] = k + 1;
    cudaMemcpyToSymbol(c_taps, taps, sizeof(taps));
    std::vector<float> in(n), out(n);
    for (int i = 0; i < n; i++) in[i] = i % 7;
    float *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    convolve<<<(n + 127) / 128, 128>>>(d_in, d_out, n, TAPS + 1);  // wrong
//=     convolve<<<(n + 127) / 128, 128>>>(d_in, d_out, n, TAPS);
    cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int k = 0; k < TAPS; k++)
            if (i + k - RADIUS >= 0 && i + k - RADIUS < n) sum += taps[k] * in[i + k - RADIUS];
        if (out[i] != sum) return 1;
    }
    return 0;
}
