// wrong: the barrier behind the reads of a tile is missing (A and B), and the next tile is the same
// as this one, so that the values never tell.
#include "checked_calls.h"

const int BLOCK = 128, TILES = 3;

__global__ void sums(const int *in, int *out) {
    __shared__ int tile[BLOCK];
    int sum = 0;
    for (int t = 0; t < TILES; ++t) {
        tile[threadIdx.x] = in[t * BLOCK + threadIdx.x];  // race A
        __syncthreads();
        for (int i = 0; i < BLOCK; ++i) sum += tile[i];  // race B
    }
    out[threadIdx.x] = sum;
}

int main() {
    int h[BLOCK * TILES], got[BLOCK], *in, *out;
    for (int i = 0; i < BLOCK * TILES; ++i) h[i] = 1;
    CHECK(cudaMalloc(&in, sizeof h));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    sums<<<1, BLOCK>>>(in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return puts("ran"), 0;
}
