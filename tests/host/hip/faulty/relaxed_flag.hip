// finds: race line 11,13
#include <hip/hip_runtime.h>

__global__ void rows(int *cell, unsigned *done) {
    int row = blockIdx.x, col = threadIdx.x, v = col;
    if (row > 0) {
        if (col == 0)
            while (__hip_atomic_load(&done[row - 1], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) == 0) {
            }
        __syncthreads();
        v = cell[(row - 1) * 64 + (col + 1) % 64] + row;
    }
    cell[row * 64 + col] = v;
    __syncthreads();
    if (col == 0) __hip_atomic_store(&done[row], 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

int main() {
    int *cell;
    unsigned *done;
    hipMalloc(&cell, 12 * 64 * sizeof(int));
    hipMalloc(&done, 12 * sizeof(unsigned));
    hipMemset(done, 0, 12 * sizeof(unsigned));
    rows<<<12, 64>>>(cell, done);
    hipDeviceSynchronize();
    hipFree(cell);
    hipFree(done);
}
