// right: a block hands its row on by a store with release and a load with acquire of the device's scope; within a block
// the scope of a workgroup is enough
#include <hip/hip_runtime.h>

#include <cstdio>
#include <vector>

const int ROWS = 12, COLS = 64;

__global__ void rows(int *cell, unsigned *done) {
    __shared__ int first, is_set;
    int row = blockIdx.x, col = threadIdx.x, v = col;
    if (col == 0) is_set = 0;
    __syncthreads();
    if (row > 0) {
        if (col == 0) {
            while (__hip_atomic_load(&done[row - 1], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0) {
            }
        }
        __syncthreads();
        v = cell[(row - 1) * COLS + (col + 1) % COLS] * 2 % 997 + row;
    }
    if (col == 40) {
        first = row;
        __hip_atomic_store(&is_set, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);
    } else if (col == 0) {
        while (!__hip_atomic_load(&is_set, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP)) {
        }
        v += first;
    }
    cell[row * COLS + col] = v;
    __syncthreads();
    if (col == 0) __hip_atomic_fetch_add(&done[row], 1u, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
}

int main() {
    const int n = ROWS * COLS;
    std::vector<int> want(n), got(n);
    for (int r = 0; r < ROWS; ++r)
        for (int c = 0; c < COLS; ++c)
            want[r * COLS + c] =
                (r == 0 ? c : want[(r - 1) * COLS + (c + 1) % COLS] * 2 % 997 + r) + (c == 0 ? r : 0);
    int *cell;
    unsigned *done;
    hipMalloc(&cell, n * sizeof(int));
    hipMalloc(&done, ROWS * sizeof(unsigned));
    hipMemset(done, 0, ROWS * sizeof(unsigned));
    rows<<<ROWS, COLS>>>(cell, done);
    hipMemcpy(got.data(), cell, n * sizeof(int), hipMemcpyDeviceToHost);
    hipFree(cell);
    hipFree(done);
    return got == want ? 0 : 1;
}
