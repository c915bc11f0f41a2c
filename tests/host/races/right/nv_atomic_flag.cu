// right: a block hands its row on by nvcc's own atomic functions: a store with release and a load
// with acquire, of the device's scope. Within a block the scope of a block is enough.
#include "checked_calls.h"

const int ROWS = 12, COLS = 64;

__global__ void rows(int *cell, unsigned *done, int *modulus) {
    __shared__ int first, is_set;
    int row = blockIdx.x, col = threadIdx.x, v = col;
    if (col == 0) is_set = 0;
    __syncthreads();
    // All blocks only load it: their scope does not matter.
    int m = __nv_atomic_load_n(modulus, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
    if (row > 0) {
        if (col == 0) {
            while (__nv_atomic_load_n(&done[row - 1], __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) == 0) {
            }
        }
        __syncthreads();
        v = cell[(row - 1) * COLS + (col + 1) % COLS] * 2 % m + row;
    }
    if (col == 40) {
        first = row;
        __nv_atomic_store_n(&is_set, 1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);
    } else if (col == 0) {
        while (!__nv_atomic_load_n(&is_set, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_BLOCK)) {
        }
        v += first;
    }
    cell[row * COLS + col] = v;
    __syncthreads();
    if (col == 0) __nv_atomic_fetch_add(&done[row], 1u, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
}

int main() {
    const int n = ROWS * COLS;
    std::vector<int> want(n), got(n);
    for (int r = 0; r < ROWS; ++r)
        for (int c = 0; c < COLS; ++c)
            want[r * COLS + c] =
                (r == 0 ? c : want[(r - 1) * COLS + (c + 1) % COLS] * 2 % 997 + r) + (c == 0 ? r : 0);
    int *cell, *modulus, prime = 997;
    unsigned *done;
    CHECK(cudaMalloc(&modulus, sizeof(int)));
    CHECK(cudaMemcpy(modulus, &prime, sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMalloc(&cell, n * sizeof(int)));
    CHECK(cudaMalloc(&done, ROWS * sizeof(unsigned)));
    CHECK(cudaMemset(done, 0, ROWS * sizeof(unsigned)));
    rows<<<ROWS, COLS>>>(cell, done, modulus);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), cell, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = got == want;
    CHECK(cudaFree(cell));
    CHECK(cudaFree(done));
    CHECK(cudaFree(modulus));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
