// finds: barrier_divergence line 23,28
// The barrier stands inside the bound: the last block's tail waits at another.
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

#define THREADS 128

__global__ void smooth(const int* in, int* out, int n) {
    __shared__ int tile[THREADS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {  // wrong
        tile[threadIdx.x] = in[i];  // wrong
        __syncthreads();  // wrong
    }  // wrong
//=     if (i < n) tile[threadIdx.x] = in[i];
//=     __syncthreads();
    int left = threadIdx.x > 0 && i < n ? tile[threadIdx.x - 1] : 0;
    __syncthreads();
    if (i < n) out[i] = tile[threadIdx.x] + left;
}

int main() {
    const int n = 1000;
    std::vector<int> in(n), out(n);
    for (int i = 0; i < n; i++) in[i] = i % 33;
    int *d_in, *d_out;
    CUDA_CHECK(cudaMalloc(&d_in, n * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&d_out, n * sizeof(int)));
    CUDA_CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    smooth<<<(n + THREADS - 1) / THREADS, THREADS>>>(d_in, d_out, n);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_in));
    CUDA_CHECK(cudaFree(d_out));
    for (int i = 0; i < n; i++)
        if (out[i] != in[i] + (i % THREADS > 0 ? in[i - 1] : 0)) return 1;
    return 0;
}
