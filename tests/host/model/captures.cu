// Shared variables in lambdas that capture by copy: one for all threads, not a copy each.
#include "check.h"

__global__ void static_tile(int* out) {
    __shared__ int tile[64], last;
    auto read = [=](int i) { return tile[i] + last; };
    auto write = [=](int i, int v) {
        auto inner = [=] { tile[i] = v; };
        inner();
    };
    if (threadIdx.x == 0) last = 1000;
    write(threadIdx.x, threadIdx.x * 3);
    __syncthreads();
    out[threadIdx.x] = read(63 - threadIdx.x);
}
__global__ void dynamic_tile(int* out, int step) {
    extern __shared__ int tile[];
    auto read = [=, n = blockDim.x](unsigned i) { return tile[i * step % n]; };
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = read(threadIdx.x + 1);
}

int main() {
    int* out = device<int>(64);
    static_tile<<<1, 64>>>(out);
    std::vector<int> got = taken(out, 64);
    for (int i = 0; i < 64; ++i) expect("static", i, got[i], (63 - i) * 3 + 1000);
    dynamic_tile<<<1, 64, 64 * sizeof(int)>>>(out = device<int>(64), 3);
    got = taken(out, 64);
    for (int i = 0; i < 64; ++i) expect("dynamic", i, got[i], (i + 1) * 3 % 64);
    return verdict();
}
