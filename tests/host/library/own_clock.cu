// Device code with a clock() of its own, and a member of that name.
#include <chrono>
#include <cstdio>

struct counter {
    int ticks;
    __device__ int clock() const { return ticks; }
    __device__ int two() const { return 2 * clock(); }
};

__global__ void read(int* to) {
    const counter own{21};
    *to = own.two();
}

int main() {
    using clock = std::chrono::steady_clock;
    const auto begin = clock::now();
    int *to, found = 0;
    cudaMalloc(&to, sizeof *to);
    read<<<1, 1>>>(to);
    cudaMemcpy(&found, to, sizeof *to, cudaMemcpyDeviceToHost);
    cudaFree(to);
    const bool is_right = found == 42 && clock::now() >= begin;
    std::printf(is_right ? "right\n" : "wrong: %d\n", found);
    return is_right ? 0 : 1;
}
