// finds: use_after_free line 23
// The intermediate result is freed before the kernel that reads it.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(call)                                                                       \
    do {                                                                                       \
        cudaError_t err = call;                                                                \
        if (err != cudaSuccess) {                                                              \
            fprintf(stderr, "CUDA error at line %d: %s\n", __LINE__, cudaGetErrorString(err)); \
            exit(1);                                                                           \
        }                                                                                      \
    } while (0)

__global__ void square(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}

__global__ void addOne(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + 1.0f;
}

int main() {
    const int n = 2000;
    std::vector<float> in(n), out(n);
    for (int i = 0; i < n; i++) in[i] = i % 50;
    float *d_in, *d_tmp, *d_out;
    size_t bytes = n * sizeof(float);
    CUDA_CHECK(cudaMalloc(&d_in, bytes));
    CUDA_CHECK(cudaMalloc(&d_tmp, bytes));
    CUDA_CHECK(cudaMalloc(&d_out, bytes));
    CUDA_CHECK(cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice));
    int threads = 256, blocks = (n + threads - 1) / threads;
    square<<<blocks, threads>>>(d_in, d_tmp, n);
    CUDA_CHECK(cudaFree(d_tmp));  // wrong
    addOne<<<blocks, threads>>>(d_tmp, d_out, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));
//=     CUDA_CHECK(cudaFree(d_tmp));
    CUDA_CHECK(cudaFree(d_in));
    CUDA_CHECK(cudaFree(d_out));
    for (int i = 0; i < n; i++)
        if (out[i] != in[i] * in[i] + 1.0f) return 1;
    return 0;
}
