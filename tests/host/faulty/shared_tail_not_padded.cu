// finds: uninitialised_read line 27
// Beyond n the shared array keeps what was there: no zero is put in.
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

#define BLOCK_SIZE 256

__global__ void reduce(const int* input, int* output, int n) {
    __shared__ int sdata[BLOCK_SIZE];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    if (i < n) sdata[tid] = input[i];  // wrong
//=     sdata[tid] = (i < n) ? input[i] : 0;
    __syncthreads();
    for (int s = BLOCK_SIZE / 2; s > 0; s >>= 1) {
        if (tid < s) {
            sdata[tid] += sdata[tid + s];
        }
        __syncthreads();
    }
    if (tid == 0) output[blockIdx.x] = sdata[0];
}

int main() {
    const int n = 1000, blocks = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
    std::vector<int> in(n), out(blocks);
    int expected = 0, total = 0;
    for (int i = 0; i < n; i++) expected += in[i] = i;
    int *d_in, *d_out;
    CUDA_CHECK(cudaMalloc(&d_in, n * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&d_out, blocks * sizeof(int)));
    CUDA_CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    reduce<<<blocks, BLOCK_SIZE>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(out.data(), d_out, blocks * sizeof(int), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_in));
    CUDA_CHECK(cudaFree(d_out));
    for (int b = 0; b < blocks; b++) total += out[b];
    return total != expected;
}
