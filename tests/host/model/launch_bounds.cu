// __launch_bounds__ in whatever words it is written: more threads are refused, no thread of such a
// launch does anything, and the attributes say the same.
#include "check.h"

#define THREADS 64
#define BOUNDS __launch_bounds__(THREADS)
#define BOUNDS_OF(threads) __launch_bounds__(threads)
#define BOUNDS_AND_BLOCKS(threads, blocks) __launch_bounds__((threads), (blocks))
constexpr int half = 32;
enum { quarter = 16 };
template <class T>
struct traits {
    static constexpr int threads = 256 / sizeof(T);
};

__global__ void __launch_bounds__(half * 2) by_constant(int* x) { x[threadIdx.x] += 1; }
__global__ void __launch_bounds__(quarter << 2, 2) by_enumerator(int* x) { x[threadIdx.x] += 1; }
__launch_bounds__(THREADS) __global__ void by_macro(int* x) { x[threadIdx.x] += 1; }
__global__ void BOUNDS in_macro(int* x) { x[threadIdx.x] += 1; }
__global__ void BOUNDS_OF(half * 2) in_function_macro(int* x) { x[threadIdx.x] += 1; }
template <int n>
__global__ void __launch_bounds__(n) by_parameter(int* x) {
    x[threadIdx.x] += 1;
}
template <class T>
__global__ void __launch_bounds__(traits<T>::threads) by_type(T* x) {
    x[threadIdx.x] += 1;
}
template <class T>
__global__ void __launch_bounds__(sizeof(T) > 4 ? 32 : 64) by_choice(T* x) {
    x[threadIdx.x] += 1;
}
template <class T, int n = 64>
static __global__ void BOUNDS_AND_BLOCKS(n, 1) with_barrier(T* x) {
    __shared__ T tile[n];
    tile[threadIdx.x % n] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = tile[threadIdx.x % n] + 1;
}
template <class... T>
__global__ void __launch_bounds__(64 * sizeof...(T)) by_count(int* x, T...) {
    x[threadIdx.x] += 1;
}
template <int, class T>
__global__ void __launch_bounds__(64 * sizeof(T) / 4) without_name(T* x) {
    x[threadIdx.x] += 1;
}
__global__ void __launch_bounds__(64) overloaded(int* x) { x[threadIdx.x] += 1; }
__global__ void __launch_bounds__(128) overloaded(float* x) { x[threadIdx.x] += 1; }
namespace inner {
constexpr int own = 64;
template <int n>
__global__ void __launch_bounds__(n* own) of_namespace(int* x) {
    x[threadIdx.x] += 1;
}
}  // namespace inner
template <int n>
__global__ void __launch_bounds__(n == 1 ? 0 : n) unbounded(int* x) {
    x[threadIdx.x] += 1;
}

static int* memory;
static void refused(int line) {
    // With asynchronous streams, only the instance that is deduced knows its bounds, and says so
    // when it runs.
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    expect("refused", line, error, cudaErrorLaunchOutOfResources);
    cudaGetLastError();
    for (int i = 0; i < 128; ++i) expect("untouched", line, memory[i], 0);
    std::memset(memory, 0, 512);
}
static void accepted(int line, int threads) {
    expect("accepted", line, cudaGetLastError(), cudaSuccess);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 128; ++i) expect("touched", line, memory[i] != 0, i < threads);
    std::memset(memory, 0, 512);
}
/// Of a kernel that takes 64 threads.
template <class Launch>
static void refuses(int line, const Launch& launch) {
    launch(dim3(128));
    refused(line);
    launch(dim3(1, 65));
    refused(line);
    launch(dim3(64));
    accepted(line, 64);
}

int main() {
    int* const x = memory = managed<int>(128, 0);
    refuses(__LINE__, [=](dim3 block) { by_constant<<<1, block>>>(x); });
    refuses(__LINE__, [=](dim3 block) { by_enumerator<<<1, block>>>(x); });
    refuses(__LINE__, [=](dim3 block) { by_macro<<<1, block>>>(x); });
    refuses(__LINE__, [=](dim3 block) { in_macro<<<1, block>>>(x); });
    refuses(__LINE__, [=](dim3 block) { in_function_macro<<<1, block>>>(x); });
    refuses(__LINE__, [=](dim3 block) { by_parameter<64><<<1, block>>>(x); });
    refuses(__LINE__, [=](dim3 block) { by_type<int><<<1, block>>>(x); });
    refuses(__LINE__, [=](dim3 block) { by_type<<<1, block>>>(x); });
    refuses(__LINE__, [=](dim3 block) { by_choice<<<1, block>>>(x); });
    refuses(__LINE__, [=](dim3 block) { by_choice<int><<<1, block>>>(x); });
    refuses(__LINE__, [=](dim3 block) { with_barrier<int><<<1, block>>>(x); });
    refuses(__LINE__, [=](dim3 block) { with_barrier<int, 64><<<1, block>>>(x); });
    refuses(__LINE__, [=](dim3 block) { with_barrier<<<1, block>>>(x); });
    refuses(__LINE__, [=](dim3 block) { without_name<3><<<1, block>>>(x); });
    refuses(__LINE__, [=](dim3 block) { overloaded<<<1, block>>>(x); });
    refuses(__LINE__, [=](dim3 block) { inner::of_namespace<1><<<1, block>>>(x); });
    by_count<<<1, 128>>>(x, 1);
    refused(__LINE__);
    by_count<<<1, 128>>>(x, 1, 2.0);
    accepted(__LINE__, 128);
    by_parameter<128><<<1, 128>>>(x);
    accepted(__LINE__, 128);
    with_barrier<int, 128><<<1, 128>>>(x);
    accepted(__LINE__, 128);
    overloaded<<<1, 128>>>(reinterpret_cast<float*>(x));
    accepted(__LINE__, 128);
    unbounded<1><<<1, 128>>>(x);
    accepted(__LINE__, 128);

    int* argument = x;
    void* arguments[] = {&argument};
    REFUSED(cudaLaunchKernel(by_parameter<64>, dim3(1), dim3(128), arguments, 0, 0),
            cudaErrorLaunchOutOfResources);
    REFUSED(cudaLaunchKernel((void*)by_parameter<32>, dim3(1), dim3(64), arguments, 0, 0),
            cudaErrorLaunchOutOfResources);

    cudaFuncAttributes attributes;
    OK(cudaFuncGetAttributes(&attributes, by_parameter<64>));
    expect("attributes", 0, attributes.maxThreadsPerBlock, 64);
    OK(cudaFuncGetAttributes(&attributes, by_parameter<512>));
    expect("attributes", 1, attributes.maxThreadsPerBlock, 512);
    OK(cudaFuncGetAttributes(&attributes, with_barrier<int, 96>));
    expect("attributes", 2, attributes.maxThreadsPerBlock, 96);
    OK(cudaFuncGetAttributes(&attributes, in_function_macro));
    expect("attributes", 3, attributes.maxThreadsPerBlock, 64);
    OK(cudaFuncGetAttributes(&attributes, unbounded<1>));
    expect("attributes", 4, attributes.maxThreadsPerBlock, 1024);
    int blocks = -1;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, by_parameter<64>, 128, 0));
    expect("occupancy", 0, blocks, 0);
    return verdict();
}
