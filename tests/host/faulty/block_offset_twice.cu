// finds: out_of_bounds line 21
// The block's offset is added to the pointer and to the index.
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
    const float* block_in = in + blockIdx.x * blockDim.x;
    float* block_out = out + blockIdx.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float value = block_in[i];  // wrong
        block_out[i] = value * value;  // wrong
//=         float value = block_in[threadIdx.x];
//=         block_out[threadIdx.x] = value * value;
    }
}

int main() {
    const int n = 3000;
    std::vector<float> in(n), out(n);
    for (int i = 0; i < n; i++) in[i] = i % 100;
    float *d_in, *d_out;
    CUDA_CHECK(cudaMalloc(&d_in, n * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&d_out, n * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    square<<<(n + 255) / 256, 256>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_in));
    CUDA_CHECK(cudaFree(d_out));
    for (int i = 0; i < n; i++)
        if (out[i] != in[i] * in[i]) return 1;
    return 0;
}
