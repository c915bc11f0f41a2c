// Shared variables in lambdas that capture by copy: one for all threads, not a copy each.
#include <cstdio>
#include <cstring>
#include <vector>

static int failures = 0;

template <class A, class B>
static void expect(const char* what, long long index, A got, B want) {
    if (got == static_cast<A>(want)) return;
    if (++failures <= 20)
        std::printf("%s [%lld]: %.17g, must be %.17g\n", what, index, static_cast<double>(got),
                    static_cast<double>(want));
}
static void ok(const char* call, cudaError_t error) {
    if (error == cudaSuccess) return;
    ++failures;
    std::printf("%s: %s\n", call, cudaGetErrorString(error));
}
#define OK(call) ok(#call, call)

/// Device memory, all bits set.
template <class T>
static T* device(std::size_t count) {
    T* memory = nullptr;
    OK(cudaMalloc(&memory, count * sizeof(T)));
    OK(cudaMemset(memory, 0xff, count * sizeof(T)));
    return memory;
}
/// What is in device memory, which is freed, after all launches.
template <class T>
static std::vector<T> taken(T* memory, std::size_t count) {
    std::vector<T> values(count);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
    OK(cudaFree(memory));
    return values;
}
static int verdict() {
    if (failures == 0) std::puts("ok");
    return failures != 0;
}

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
