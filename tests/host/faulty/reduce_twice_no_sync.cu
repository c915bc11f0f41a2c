// finds: race line 11,18
// The second reduction fills the array while others still read the first's result.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#define BLOCK 128

__device__ int blockReduceMax(int value, int* shared) {
    shared[threadIdx.x] = value;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (threadIdx.x < s)
            shared[threadIdx.x] = max(shared[threadIdx.x], shared[threadIdx.x + s]);
        __syncthreads();
    }
    return shared[0];  // wrong
//=     int result = shared[0];
//=     __syncthreads();
//=     return result;
}

// value range of each row: max - min
__global__ void rowRange(const int* in, int* out) {
    __shared__ int shared[BLOCK];
    int value = in[blockIdx.x * BLOCK + threadIdx.x];
    int most = blockReduceMax(value, shared);
    int least = -blockReduceMax(-value, shared);
    out[blockIdx.x * BLOCK + threadIdx.x] = most - least;
}

int main() {
    const int rows = 12, n = rows * BLOCK;
    std::vector<int> in(n), out(n);
    for (int i = 0; i < n; i++) in[i] = (i * 97) % 1009 - 300;
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    rowRange<<<rows, BLOCK>>>(d_in, d_out);
    cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int r = 0; r < rows; r++) {
        int most = in[r * BLOCK], least = most;
        for (int i = r * BLOCK; i < (r + 1) * BLOCK; i++) {
            if (in[i] > most) most = in[i];
            if (in[i] < least) least = in[i];
        }
        for (int i = r * BLOCK; i < (r + 1) * BLOCK; i++)
            if (out[i] != most - least) return 1;
    }
    return 0;
}
