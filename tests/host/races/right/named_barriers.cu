// A warp fills a buffer for another by turns, at barriers of PTX that one of them only arrives at:
// they order the two warps as a barrier of the block does.
#include <cstdio>

__device__ void wait_at(int barrier) { asm volatile("bar.sync %0, 64;" ::"r"(barrier) : "memory"); }
__device__ void arrive_at(int barrier) {
    asm volatile("bar.arrive %0, 64;" ::"r"(barrier) : "memory");
}

__global__ void by_turns(int* out, int rounds) {
    __shared__ int slot[32];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int r = 0; r < rounds; ++r) {
            if (r > 0) wait_at(2);
            slot[lane] = r * 100 + lane;
            arrive_at(1);
        }
    } else {
        int sum = 0;
        for (int r = 0; r < rounds; ++r) {
            wait_at(1);
            sum += slot[31 - lane];
            if (r + 1 < rounds) arrive_at(2);
        }
        out[lane] = sum;
    }
}

int main() {
    int *d, h[32];
    if (cudaMalloc(&d, sizeof h) != cudaSuccess) return 1;
    by_turns<<<1, 64>>>(d, 5);
    if (cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    for (int i = 0; i < 32; ++i)
        if (h[i] != 1000 + 5 * (31 - i)) return 1;
    std::puts("ok");
    return cudaFree(d) != cudaSuccess;
}
