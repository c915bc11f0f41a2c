// wrong: blocks hand rows on by nvcc's own atomic functions, of a block's scope, which order nothing between blocks,
// the lines that race: the store and the read of cell[], and the flag's own operations.
#include "checked_calls.h"

const int ROWS = 12, COLS = 64;

__global__ void rows(int *cell, unsigned *done) {
    int row = blockIdx.x, col = threadIdx.x, v = col;
    if (row > 0) {
        if (col == 0) {
            while (__nv_atomic_load_n(&done[row - 1], __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_BLOCK) == 0) {  // race
            }
        }
        __syncthreads();
        v = cell[(row - 1) * COLS + (col + 1) % COLS] * 2 % 997 + row;  // race
    }
    cell[row * COLS + col] = v;  // race
    __syncthreads();
    if (col == 0) __nv_atomic_store_n(&done[row], 1u, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);  // race
}

int main() {
    const int n = ROWS * COLS;
    std::vector<int> want(n), got(n);
    for (int r = 0; r < ROWS; ++r)
        for (int c = 0; c < COLS; ++c)
            want[r * COLS + c] = r == 0 ? c : want[(r - 1) * COLS + (c + 1) % COLS] * 2 % 997 + r;
    int *cell;
    unsigned *done;
    CHECK(cudaMalloc(&cell, n * sizeof(int)));
    CHECK(cudaMalloc(&done, ROWS * sizeof(unsigned)));
    CHECK(cudaMemset(done, 0, ROWS * sizeof(unsigned)));
    rows<<<ROWS, COLS>>>(cell, done);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), cell, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = got == want;
    CHECK(cudaFree(cell));
    CHECK(cudaFree(done));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
