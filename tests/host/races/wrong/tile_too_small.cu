// wrong: tiles of eight lanes sync, but a lane reads the cell of the tile before its
// own, the two lines that race: the store and the read of buf[].
#include "checked_calls.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

const int TILE = 8;

__global__ void pass_right(const int *in, int *buf, int *out) {
    auto tile = cg::tiled_partition<TILE>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    buf[i] = in[i] + 100;  // race A
    tile.sync();  // a tile of 32 was meant
    out[i] = i % 32 >= TILE ? buf[i - TILE] : 0;  // race B
}

int main() {
    const int n = 1024, block = 128;
    std::vector<int> h(n), got(n);
    for (int i = 0; i < n; ++i) h[i] = i * 3 % 59;
    int *in, *buf, *out;
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&buf, n * sizeof(int)));
    CHECK(cudaMalloc(&out, n * sizeof(int)));
    CHECK(cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    pass_right<<<n / block, block>>>(in, buf, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; ++i)
        ok = ok && got[i] == (i % 32 >= TILE ? h[i - TILE] + 100 : 0);
    CHECK(cudaFree(in));
    CHECK(cudaFree(buf));
    CHECK(cudaFree(out));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
