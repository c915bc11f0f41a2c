// wrong: the lanes of a warp read a tile of device memory that wmma has stored, before
// __syncwarp(), the two lines that race: the store of the tile and its read.
#include <mma.h>

#include "checked_calls.h"

using namespace nvcuda;

const int SIDE = 16;

__global__ void transpose(const float *in, float *tile, float *out) {
    wmma::fragment<wmma::accumulator, SIDE, SIDE, SIDE, float> sum;
    wmma::load_matrix_sync(sum, in, SIDE, wmma::mem_row_major);
    wmma::store_matrix_sync(tile, sum, SIDE, wmma::mem_row_major);  // race A
    for (int i = threadIdx.x; i < SIDE * SIDE; i += 32)
        out[i] = tile[i % SIDE * SIDE + i / SIDE];  // race B
}

int main() {
    const int n = SIDE * SIDE;
    std::vector<float> h(n), got(n);
    for (int i = 0; i < n; ++i) h[i] = i;
    float *in, *tile, *out;
    CHECK(cudaMalloc(&in, n * sizeof(float)));
    CHECK(cudaMalloc(&tile, n * sizeof(float)));
    CHECK(cudaMalloc(&out, n * sizeof(float)));
    CHECK(cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    transpose<<<1, 32>>>(in, tile, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; ++i) ok = ok && got[i] == h[i % SIDE * SIDE + i / SIDE];
    CHECK(cudaFree(in));
    CHECK(cudaFree(tile));
    CHECK(cudaFree(out));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
