// Clocks, very large grids, early exits of them, and grid-stride loops.
#include "check.h"

__global__ void ticks(long long* out) {
    const long long before = clock64();
    const clock_t short_before = clock();
    unsigned value = threadIdx.x + 1;
    for (int i = 0; i < 1000; ++i) value = value * 1664525u + 1013904223u;
    const long long after = clock64();
    out[threadIdx.x * 3] = after - before;
    out[threadIdx.x * 3 + 1] = value;
    out[threadIdx.x * 3 + 2] = (unsigned)(clock() - short_before);
}
__global__ void mark(unsigned char* seen) { ++seen[blockIdx.x]; }
__global__ void mark_3d(unsigned char* seen) {
    ++seen[(std::size_t(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x];
}
__global__ void few_of_many(int* counter, int n) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd(counter, 1);
}
__global__ void stride(int* values, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        values[i] = i;
}
__global__ void large_with_barrier(int* out) {
    __shared__ int cell;
    if (threadIdx.x == 0) cell = blockIdx.x;
    __syncthreads();
    if (threadIdx.x == 1) out[blockIdx.x] = cell;
}

int main() {
    long long* times = device<long long>(64 * 3);
    ticks<<<1, 64>>>(times);
    const std::vector<long long> took = taken(times, 64 * 3);
    for (int t = 0; t < 64; ++t) {
        unsigned value = t + 1;
        for (int i = 0; i < 1000; ++i) value = value * 1664525u + 1013904223u;
        expect("clock64 goes up", t, took[t * 3] > 0, 1);
        expect("value", t, took[t * 3 + 1], value);
        expect("clock goes up", t, took[t * 3 + 2] > 0, 1);
    }

    const int blocks = 1000000;
    unsigned char* seen = device<unsigned char>(blocks);
    OK(cudaMemset(seen, 0, blocks));
    mark<<<blocks, 1>>>(seen);
    std::vector<unsigned char> got = taken(seen, blocks);
    for (int b = 0; b < blocks; ++b) expect("a million blocks", b, got[b], 1);

    seen = device<unsigned char>(3 * 65535);
    OK(cudaMemset(seen, 0, 3 * 65535));
    mark_3d<<<dim3(3, 65535, 1), 1>>>(seen);
    got = taken(seen, 3 * 65535);
    for (int b = 0; b < 3 * 65535; ++b) expect("65535 along y", b, got[b], 1);
    seen = device<unsigned char>(100 * 50 * 20);
    OK(cudaMemset(seen, 0, 100 * 50 * 20));
    mark_3d<<<dim3(100, 50, 20), 1>>>(seen);
    got = taken(seen, 100 * 50 * 20);
    for (int b = 0; b < 100 * 50 * 20; ++b) expect("three dimensions", b, got[b], 1);

    int* counter = device<int>(1);
    OK(cudaMemset(counter, 0, sizeof(int)));
    few_of_many<<<300000, 64>>>(counter, 777);
    expect("few of many", 0, taken(counter, 1)[0], 777);

    const int n = 100003;
    int* values = device<int>(n);
    stride<<<7, 96>>>(values, n);
    std::vector<int> numbers = taken(values, n);
    for (int i = 0; i < n; ++i) expect("stride", i, numbers[i], i);

    int* cells = device<int>(50000);
    large_with_barrier<<<50000, 2>>>(cells);
    numbers = taken(cells, 50000);
    for (int b = 0; b < 50000; ++b) expect("with a barrier", b, numbers[b], b);
    return verdict();
}
