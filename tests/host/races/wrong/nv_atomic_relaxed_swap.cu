// wrong: blocks hand rows on by nvcc's own atomic functions, of which the swap is relaxed, and so orders nothing,
// the lines that race: the store and the read of cell[].
#include "checked_calls.h"

const int ROWS = 12, COLS = 64;

__global__ void rows(int *cell, unsigned *done) {
    int row = blockIdx.x, col = threadIdx.x, v = col;
    if (row > 0) {
        if (col == 0) {
            while (__nv_atomic_load_n(&done[row - 1], __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) == 0) {
            }
        }
        __syncthreads();
        v = cell[(row - 1) * COLS + (col + 1) % COLS] * 2 % 997 + row;  // race
    }
    cell[row * COLS + col] = v;  // race
    __syncthreads();
    unsigned none = 0;
    if (col == 0)
        __nv_atomic_compare_exchange_n(&done[row], &none, 1u, false, __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED,
                                       __NV_THREAD_SCOPE_DEVICE);
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
