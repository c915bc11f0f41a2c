// wrong: blocks hand rows on with volatile flags but only __threadfence_block, which
// orders nothing between blocks, the two lines that race: the store and the read of cell[].
#include "checked_calls.h"

const int ROWS = 12, COLS = 64;

__global__ void wavefront(int *cell, volatile int *done) {
    int row = blockIdx.x, col = threadIdx.x, v = col;
    if (row > 0) {
        if (col == 0) {
            while (done[row - 1] == 0) {
            }
            __threadfence_block();  // should be: __threadfence()
        }
        __syncthreads();
        v = cell[(row - 1) * COLS + (col + 1) % COLS] * 2 % 997 + row;  // race A
    }
    cell[row * COLS + col] = v;  // race B
    __syncthreads();
    if (col == 0) {
        __threadfence_block();  // should be: __threadfence()
        done[row] = 1;
    }
}

int main() {
    const int n = ROWS * COLS;
    std::vector<int> want(n), got(n);
    for (int c = 0; c < COLS; ++c) want[c] = c;
    for (int r = 1; r < ROWS; ++r)
        for (int c = 0; c < COLS; ++c)
            want[r * COLS + c] = want[(r - 1) * COLS + (c + 1) % COLS] * 2 % 997 + r;
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
