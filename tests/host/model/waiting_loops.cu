// Loops that only wait for another thread, of the block or of another: a flag, a turn, a lock, a
// barrier of the grid.

#include "check.h"

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
    int* x = managed<int>(64);
    for (int i = 0; i < 64; ++i) x[i] = 0;
    hand_back<<<1, 128>>>(x, x + 2);
    MUST(cudaDeviceSynchronize() == cudaSuccess && x[2] == 42);
    in_turns<<<1, 256>>>(x + 3, x + 4);
    wait_for_device();
    for (int i = 0; i < 8; ++i) MUST(x[4 + i] == 7 - i);
    locked<<<4, 128>>>(x + 20, x + 21);
    MUST(cudaDeviceSynchronize() == cudaSuccess && x[21] == 16);
    int* y = managed<int>(2 * 24 * 128);
    for (int i = 0; i < 24 * 128; ++i) y[i] = 0;
    for_the_next_warp<<<1, 160>>>(y);
    wait_for_device();
    for (int i = 0; i < 160; ++i) expect("first", i, y[i], 1), y[i] = 0;
    for_the_next_block<<<20, 64>>>(y);
    wait_for_device();
    for (int i = 0; i < 20; ++i) MUST(y[i] == i + 1);
    reversed<<<24, 128>>>(y, y + 24 * 128, 4);
    wait_for_device();
    for (int i = 0; i < 24 * 128; ++i) MUST(y[24 * 128 + i] == i + 4);
    return verdict();
}
