// finds: out_of_bounds line 19
// The launch gives as many bytes as there are threads.
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

__global__ void reverseBlocks(const float* in, float* out) {
    extern __shared__ float buffer[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    buffer[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = buffer[blockDim.x - 1 - threadIdx.x];
}

int main() {
    const int n = 4096, threads = 128;
    std::vector<float> h_in(n), h_out(n);
    for (int i = 0; i < n; i++) h_in[i] = 0.5f * i;
    float *d_in, *d_out;
    CUDA_CHECK(cudaMalloc(&d_in, n * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&d_out, n * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(d_in, h_in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    reverseBlocks<<<n / threads, threads, threads>>>(d_in, d_out);  // wrong
//=     reverseBlocks<<<n / threads, threads, threads * sizeof(float)>>>(d_in, d_out);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(h_out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h_out[i] != h_in[i / threads * threads + threads - 1 - i % threads]) return 1;
    CUDA_CHECK(cudaFree(d_in));
    CUDA_CHECK(cudaFree(d_out));
    return 0;
}
