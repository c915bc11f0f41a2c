// finds: out_of_bounds line 16
// The shared array has no room for the right halo cell.
#include <cstdio>
#include <vector>

constexpr int BLOCK = 256;

__global__ void stencil3(const float* in, float* out, int n) {
    __shared__ float tile[BLOCK + 1];  // wrong
//=     __shared__ float tile[BLOCK + 2];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int t = threadIdx.x + 1;
    tile[t] = i < n ? in[i] : 0.0f;
    if (threadIdx.x == 0) tile[0] = i > 0 ? in[i - 1] : 0.0f;
    if (threadIdx.x == BLOCK - 1) {
        tile[t + 1] = i + 1 < n ? in[i + 1] : 0.0f;
    }
    __syncthreads();
    if (i < n) out[i] = tile[t - 1] + tile[t] + tile[t + 1];
}

int main() {
    const int n = 2048;
    std::vector<float> in(n, 1.0f), out(n);
    float *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    stencil3<<<n / BLOCK, BLOCK>>>(d_in, d_out, n);
    cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int i = 0; i < n; i++)
        if (out[i] != (i == 0 || i == n - 1 ? 2.0f : 3.0f)) return 1;
    return 0;
}
