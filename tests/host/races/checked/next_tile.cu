// wrong: the loop's next turn writes a tile that other threads may still read, for the barrier
// behind the reads is missing (A and B).
#include "checked_calls.h"

const int BLOCK = 128, TILES = 4;

__global__ void reversed(const int *in, int *out) {
    __shared__ int tile[BLOCK];
    for (int t = 0; t < TILES; ++t) {
        tile[threadIdx.x] = in[t * BLOCK + threadIdx.x];  // race A
        __syncthreads();
        out[t * BLOCK + threadIdx.x] = tile[BLOCK - 1 - threadIdx.x];  // race B
    }
}

int main() {
    int h[BLOCK * TILES], got[BLOCK * TILES], *in, *out;
    for (int i = 0; i < BLOCK * TILES; ++i) h[i] = i;
    CHECK(cudaMalloc(&in, sizeof h));
    CHECK(cudaMalloc(&out, sizeof h));
    CHECK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    reversed<<<1, BLOCK>>>(in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return puts("ran"), 0;
}
