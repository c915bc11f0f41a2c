// Loops that only wait for another thread: a flag, a turn, a lock of a block.
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
    std::printf("%d failures\n", failures);
    return failures != 0;
}
