// right: flags far from each other in a large array, in pages that the search leaves out too. A
// block sets its flag by a plain store behind a fence, and the next one waits for it by a volatile
// read; what the flags guard is small.
#include "checked_calls.h"

const int BLOCKS = 64, APART = 4096 + 64, LARGE = 16 << 20;

__global__ void chain(int *large, int *sums) {
    int *flag = large + size_t(blockIdx.x) * APART * 16;
    if (threadIdx.x == 0) {
        if (blockIdx.x > 0) {
            volatile int *before = flag - APART * 16;
            while (*before == 0) {
            }
            __threadfence();
            sums[blockIdx.x] = sums[blockIdx.x - 1] + int(blockIdx.x);
        } else {
            sums[0] = 0;
        }
        __threadfence();
        *flag = 1;
    }
}

int main() {
    int *large, *sums;
    CHECK(cudaMalloc(&large, LARGE * sizeof(int)));
    CHECK(cudaMalloc(&sums, BLOCKS * sizeof(int)));
    CHECK(cudaMemset(large, 0, LARGE * sizeof(int)));
    chain<<<BLOCKS, 32>>>(large, sums);
    CHECK(cudaGetLastError());
    int last;
    CHECK(cudaMemcpy(&last, sums + BLOCKS - 1, sizeof last, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(sums));
    CHECK(cudaFree(large));
    return puts(last == BLOCKS * (BLOCKS - 1) / 2 ? "ok" : "wrong sum"), last != 2016;
}
