// A kernel that a template-id names alone is launched and known like any other kernel: arguments are
// converted to its parameters once, and its attributes are its own.
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#define CHECK(condition)                                                      \
    do {                                                                      \
        if (!(condition)) {                                                   \
            std::printf("line %d: %s\n", __LINE__, #condition);               \
            std::exit(1);                                                     \
        }                                                                     \
    } while (0)

struct buffer {
    int* p;
    buffer() { cudaMallocManaged(&p, 4 * sizeof(int)); }
    buffer(const buffer&) = delete;
    ~buffer() { cudaFree(p); }
    operator int*() { return p; }
    operator const int*() const { return p; }
};

template <int N>
__global__ void add(const int* in, int* out, long long scale) {
    out[threadIdx.x] = static_cast<int>(N * scale) + in[threadIdx.x];
}

// Deduced, overloaded, and with a default argument: as before.
template <class T>
__global__ void twice(T* x) {
    x[threadIdx.x] *= 2;
}
template <class T>
__global__ void set(T* x, T value) {
    x[threadIdx.x] = value;
}
template <class T>
__global__ void set(T* x) {
    x[threadIdx.x] = -1;
}
template <int N>
__global__ void put(int* x, int value = 7) {
    x[threadIdx.x] = N + value;
}

template <class T, int N>
__global__ void __launch_bounds__(128, 2) turned(T* out) {
    __shared__ T row[N];
    row[threadIdx.x] = static_cast<T>(threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = row[N - 1 - threadIdx.x];
}

template <class T>
void from_a_template(int* out) {
    // Dependent names.
    cudaFuncAttributes a;
    CHECK(cudaFuncGetAttributes(&a, turned<T, 64>) == cudaSuccess);
    CHECK(a.sharedSizeBytes == 64 * sizeof(T) && a.maxThreadsPerBlock == 128);
    turned<T, 64><<<1, 64>>>(out);
    CHECK(cudaDeviceSynchronize() == cudaSuccess && out[0] == 63 && out[63] == 0);
}

struct alignas(16) pair_of_words {
    unsigned long long a, b;
};

__global__ void count(pair_of_words* p) {
    pair_of_words old = *p;
    for (;;) {
        const pair_of_words next{old.a + 1, old.b + 3};
        const pair_of_words got = atomicCAS(p, old, next);
        if (got.a == old.a && got.b == old.b) break;
        old = got;
    }
}
__global__ void exchange(pair_of_words* p, pair_of_words* before) {
    *before = atomicExch(p, pair_of_words{5, 6});
}

int main() {
    buffer in, out;
    for (int i = 0; i < 4; ++i) in.p[i] = i;
    add<5><<<1, 4>>>(in, out, 10);  // by conversions, without a copy
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    for (int i = 0; i < 4; ++i) CHECK(out.p[i] == 50 + i);
    twice<int><<<1, 4>>>(out);
    CHECK(cudaDeviceSynchronize() == cudaSuccess && out.p[3] == 106);
    twice<<<1, 4>>>(out.p);
    CHECK(cudaDeviceSynchronize() == cudaSuccess && out.p[3] == 212);
    set<int><<<1, 4>>>(out.p, 9);
    CHECK(cudaDeviceSynchronize() == cudaSuccess && out.p[0] == 9);
    set<int><<<1, 4>>>(out.p);
    CHECK(cudaDeviceSynchronize() == cudaSuccess && out.p[0] == -1);
    put<1><<<1, 4>>>(out.p);
    CHECK(cudaDeviceSynchronize() == cudaSuccess && out.p[0] == 8);
    put<1><<<1, 4>>>(out.p, 1);
    CHECK(cudaDeviceSynchronize() == cudaSuccess && out.p[0] == 2);

    cudaFuncAttributes a;
    CHECK(cudaFuncGetAttributes(&a, turned<double, 100>) == cudaSuccess);
    CHECK(a.maxThreadsPerBlock == 128);
    int grid = 0, block = 0;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, turned<float, 64>, 0, 0) == cudaSuccess);
    CHECK(block > 0 && block <= 128);
    auto kernel = turned<float, 64>;
    CHECK(cudaFuncGetAttributes(&a, kernel) == cudaSuccess && a.maxThreadsPerBlock == 128);
    auto& by_reference = turned<float, 64>;
    CHECK(&by_reference == kernel);
    int* turned_out = nullptr;
    cudaMallocManaged(&turned_out, 64 * sizeof(int));
    from_a_template<int>(turned_out);

    pair_of_words* p = nullptr;
    cudaMallocManaged(&p, 2 * sizeof *p);
    p[0] = {0, 1};
    count<<<4, 32>>>(p);
    exchange<<<1, 1>>>(p, p + 1);
    CHECK(cudaDeviceSynchronize() == cudaSuccess && p[1].a == 128 && p[1].b == 1 + 3 * 128);
    CHECK(p[0].a == 5 && p[0].b == 6);
    std::printf("ok\n");
    return 0;
}
