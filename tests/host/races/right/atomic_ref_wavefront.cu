// right: a row waits for the row above by an acquire load of its flag, which was
// set by a release store after __syncthreads; the cells themselves are plain.
#include "checked_calls.h"
#include <cuda/atomic>

const int ROWS = 16, COLS = 64;

using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

__global__ void wavefront(int *cell, int *done) {
    int row = blockIdx.x, col = threadIdx.x;
    if (row > 0) {
        Flag above(done[row - 1]);
        while (above.load(cuda::memory_order_acquire) == 0) {
        }
        int left = cell[(row - 1) * COLS + (col + COLS - 1) % COLS];
        int right = cell[(row - 1) * COLS + (col + 1) % COLS];
        cell[row * COLS + col] = (left + 3 * right + row) % 1000;
    } else {
        cell[col] = col;
    }
    __syncthreads();
    if (col == 0) Flag(done[row]).store(1, cuda::memory_order_release);
}

int main() {
    const int n = ROWS * COLS;
    std::vector<int> want(n), got(n);
    for (int c = 0; c < COLS; ++c) want[c] = c;
    for (int r = 1; r < ROWS; ++r)
        for (int c = 0; c < COLS; ++c)
            want[r * COLS + c] = (want[(r - 1) * COLS + (c + COLS - 1) % COLS] +
                                  3 * want[(r - 1) * COLS + (c + 1) % COLS] + r) % 1000;
    int *cell, *done;
    CHECK(cudaMalloc(&cell, n * sizeof(int)));
    CHECK(cudaMalloc(&done, ROWS * sizeof(int)));
    CHECK(cudaMemset(done, 0, ROWS * sizeof(int)));
    wavefront<<<ROWS, COLS>>>(cell, done);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), cell, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = got == want;
    CHECK(cudaFree(cell));
    CHECK(cudaFree(done));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
