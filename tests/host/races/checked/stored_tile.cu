// wrong: each lane reads of a tile what others have stored of their fragments, without __syncwarp
// between (A and B).
#include <mma.h>

#include "checked_calls.h"

using namespace nvcuda;

__global__ void twice(const float *in, float *out) {
    __shared__ float tile[256];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::load_matrix_sync(sum, in, 16, wmma::mem_row_major);
    wmma::store_matrix_sync(tile, sum, 16, wmma::mem_row_major);  // race A
    for (int i = threadIdx.x; i < 256; i += 32)
        out[i] = 2 * tile[i % 16 * 16 + i / 16];  // race B
}

int main() {
    float h[256], got[256], *in, *out;
    for (int i = 0; i < 256; ++i) h[i] = float(i);
    CHECK(cudaMalloc(&in, sizeof h));
    CHECK(cudaMalloc(&out, sizeof h));
    CHECK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    twice<<<1, 32>>>(in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    for (int i = 0; i < 256; ++i)
        if (got[i] != 2 * h[i % 16 * 16 + i / 16]) return puts("failed"), 1;
    return puts("passed"), 0;
}
