// Loops that only wait for another thread, of the block or of another: a flag, a turn, a lock, a
// barrier of the grid.
#include <cstdio>

static int failures = 0;

/// The first thread waits for the last.
__global__ void hand_back(int* flag, int* out) {
    if (threadIdx.x == 0) {
        while (atomicAdd(flag, 0) == 0)
            ;
        *out = flag[1];
    } else if (threadIdx.x == blockDim.x - 1) {
        flag[1] = 42;
        __threadfence();
        atomicExch(flag, 1);
    }
}

/// Warps go one after another, the last one first.
__global__ void in_turns(int* turn, int* order) {
    __shared__ int next;
    if (threadIdx.x == 0) next = blockDim.x / 32 - 1;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        const int mine = threadIdx.x / 32;
        while (atomicAdd(&next, 0) != mine) {
            __nanosleep(20);
        }
        order[atomicAdd(turn, 1)] = mine;
        __threadfence_block();
        atomicSub(&next, 1);
    }
}

__global__ void locked(int* lock, int* sum) {
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        *sum = *sum + 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

/// Each warp waits for the next in a loop that also does something.
__global__ void for_the_next_warp(volatile int* flag) {
    const int i = threadIdx.x;
    bool done = false;
    while (!done) {
        if (i + 32 >= blockDim.x || flag[i + 32] != 0) {
            __threadfence();
            flag[i] = 1;
            done = true;
        }
    }
}

/// Each block waits for the next, with all of its threads.
__global__ void for_the_next_block(volatile int* flag) {
    if (threadIdx.x == 0) {
        while (blockIdx.x + 1 < gridDim.x && flag[blockIdx.x + 1] == 0) __nanosleep(10);
    }
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1) flag[blockIdx.x] = blockIdx.x + 1;
}

/// A barrier of the grid as it was written before cooperative launches.
__device__ int arrived;
__device__ void wait_for_all(int goal) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&arrived, 1);
        while (atomicAdd(&arrived, 0) < goal)
            ;
    }
    __syncthreads();
}
__global__ void reversed(int* a, int* b, int rounds) {
    const int i = threadIdx.x + blockIdx.x * blockDim.x, n = gridDim.x * blockDim.x;
    for (int r = 0; r < rounds; ++r) {
        a[i] = r == 0 ? i : b[i];
        wait_for_all((2 * r + 1) * gridDim.x);
        b[i] = a[n - 1 - i] + 1;
        wait_for_all((2 * r + 2) * gridDim.x);
    }
}

int main() {
    int* x;
    cudaMallocManaged(&x, 64 * sizeof(int));
    for (int i = 0; i < 64; ++i) x[i] = 0;
    hand_back<<<1, 128>>>(x, x + 2);
    if (cudaDeviceSynchronize() != cudaSuccess || x[2] != 42) ++failures;
    in_turns<<<1, 256>>>(x + 3, x + 4);
    if (cudaDeviceSynchronize() != cudaSuccess) ++failures;
    for (int i = 0; i < 8; ++i) failures += x[4 + i] != 7 - i;
    locked<<<4, 128>>>(x + 20, x + 21);
    if (cudaDeviceSynchronize() != cudaSuccess || x[21] != 16) ++failures;
    int* y;
    cudaMallocManaged(&y, 2 * 24 * 128 * sizeof(int));
    for (int i = 0; i < 24 * 128; ++i) y[i] = 0;
    for_the_next_warp<<<1, 160>>>(y);
    if (cudaDeviceSynchronize() != cudaSuccess) ++failures;
    for (int i = 0; i < 160; ++i) failures += y[i] != 1, y[i] = 0;
    for_the_next_block<<<20, 64>>>(y);
    if (cudaDeviceSynchronize() != cudaSuccess) ++failures;
    for (int i = 0; i < 20; ++i) failures += y[i] != i + 1;
    reversed<<<24, 128>>>(y, y + 24 * 128, 4);
    if (cudaDeviceSynchronize() != cudaSuccess) ++failures;
    for (int i = 0; i < 24 * 128; ++i) failures += y[24 * 128 + i] != i + 4;
    std::printf("%d failures\n", failures);
    return failures != 0;
}
