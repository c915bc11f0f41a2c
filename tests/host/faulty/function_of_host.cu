// finds: illegal_address line 15
// Host code takes a function's address and gives it to a kernel.
#include <cstdio>
#include <vector>

typedef float (*function)(float);
__device__ float half_of(float x) { return x / 2; }
__device__ float square_of(float x) { return x * x; }
__device__ function d_half = half_of;
__device__ function d_square = square_of;

__global__ void map(function f, const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = f(in[i]);
    }
}

int main() {
    const int n = 500;
    std::vector<float> host(n, 3);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    function f = nullptr, g = nullptr;
    cudaMemcpyFromSymbol(&g, d_half, sizeof g);
    map<<<2, 256>>>(g, in, out, n);
    f = square_of;                                        // wrong
//=     cudaMemcpyFromSymbol(&f, d_square, sizeof f);
    map<<<2, 256>>>(f, in, out, n);
    cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    std::printf("%g\n", host[n - 1]);
    return host[n - 1] == 9 ? 0 : 1;
}
