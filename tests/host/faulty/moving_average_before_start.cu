// finds: out_of_bounds line 16
// The first window begins before the array.
#include <cstdio>
#include <vector>

#define RADIUS 2

__global__ void movingAverage(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    int count = 0;
    for (int k = -RADIUS; k <= RADIUS; k++) {
        if (i + k < n) {  // wrong
//=         if (i + k >= 0 && i + k < n) {
            sum += in[i + k];
            count++;
        }
    }
    out[i] = sum / count;
}

int main() {
    const int n = 3000;
    std::vector<float> in(n), out(n);
    for (int i = 0; i < n; i++) in[i] = (i * 13) % 101;
    float *d_in, *d_out;
    cudaMalloc((void**)&d_in, n * sizeof(float));
    cudaMalloc((void**)&d_out, n * sizeof(float));
    cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(128);
    dim3 grid((n + block.x - 1) / block.x);
    movingAverage<<<grid, block>>>(d_in, d_out, n);
    cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int i = 0; i < n; i++) {
        float sum = 0;
        int count = 0;
        for (int j = i - RADIUS; j <= i + RADIUS; j++)
            if (j >= 0 && j < n) sum += in[j], count++;
        if (out[i] != sum / count) return 1;
    }
    return 0;
}
