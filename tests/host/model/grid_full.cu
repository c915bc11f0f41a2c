// Cooperative launches of as many blocks as a device holds at a time: more than a program may have
// threads of the operating system.
#include <cooperative_groups.h>

#include <cstdio>
#include <utility>
#include <vector>

namespace cg = cooperative_groups;

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

// A wave of sums through the whole grid, as in grid_sync.cu, with barriers of the block between.
__global__ void waves(int* a, int* b, int n, int rounds) {
    extern __shared__ int mine[];
    const cg::grid_group grid = cg::this_grid();
    const int i = grid.thread_rank(), t = threadIdx.x, last = blockDim.x - 1;
    a[i] = i;
    grid.sync();
    for (int r = 0; r < rounds; ++r) {
        mine[last - t] = a[(i + 1) % n] + a[(i + n - 1) % n];
        __syncthreads();
        b[i] = mine[last - t];
        grid.sync();
        a[i] = b[i] % 1000 + (mine[t] < 0);
        grid.sync();
    }
}

// Blocks that never wait need no room of their own.
__global__ void alone(int* out) { atomicAdd(out, 1); }

static void check_waves(int threads, int rounds) {
    int on_each = 0, processors = 0;
    const std::size_t shared = threads * sizeof(int);
    OK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_each, waves, threads, shared));
    const int blocks = processors * on_each;
    expect("blocks", threads, blocks, threads == 256 ? 132 * 8 : 132 * 32);
    int n = blocks * threads;
    int *a = device<int>(n), *b = device<int>(n);
    void* arguments[] = {&a, &b, &n, &rounds};
    OK(cudaLaunchCooperativeKernel((void*)waves, dim3(blocks), dim3(threads), arguments, shared));
    const std::vector<int> got = taken(a, n);
    OK(cudaFree(b));
    std::vector<int> here(n), next(n);
    for (int i = 0; i < n; ++i) here[i] = i;
    for (int r = 0; r < rounds; ++r) {
        for (int i = 0; i < n; ++i) next[i] = (here[(i + 1) % n] + here[(i + n - 1) % n]) % 1000;
        std::swap(here, next);
    }
    for (int i = 0; i < n; ++i) expect("waves", i, got[i], here[i]);
    int* count = device<int>(1);
    OK(cudaMemset(count, 0, sizeof(int)));
    void* one[] = {&count};
    OK(cudaLaunchCooperativeKernel((void*)alone, dim3(blocks), dim3(threads), one));
    expect("alone", threads, taken(count, 1)[0], n);
}

int main() {
    check_waves(256, 4);
    check_waves(32, 3);
    return verdict();
}
