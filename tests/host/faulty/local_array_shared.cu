// finds: illegal_address line 21
// One thread lends its local array to its block by a pointer in shared memory: local memory is each
// thread's own, so that the others read their own at that address.
#include <cstdio>
#include <vector>

__global__ void filter(const float* x, const float* raw, float* y, int n, int taps) {
    __shared__ const float* taps_of_block;
    __shared__ float normal[16];                          // right
    float own[16];
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int k = 0; k < taps; k++) sum += raw[k];
        for (int k = 0; k < taps; k++) own[k] = normal[k] = raw[k] / sum;
        taps_of_block = own;                              // wrong
//=         taps_of_block = normal;
    }
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < taps && i + k < n; k++) sum += taps_of_block[k] * x[i + k];
    __syncthreads();
    if (i < n) y[i] = sum;
}

int main() {
    const int n = 200, taps = 4;
    std::vector<float> ones(n, 1), raw(taps, 2), got(n);
    float *x, *d_raw, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&d_raw, taps * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMemcpy(x, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_raw, raw.data(), taps * sizeof(float), cudaMemcpyHostToDevice);
    filter<<<2, 128>>>(x, d_raw, y, n, taps);
    cudaMemcpy(got.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost);
    bool ok = true;
    for (int i = 0; i + taps <= n; i++) ok = ok && got[i] == 1;
    cudaFree(x);
    cudaFree(d_raw);
    cudaFree(y);
    std::printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
