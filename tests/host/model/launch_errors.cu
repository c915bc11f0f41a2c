// Launches that a device refuses: the error, no kernel run, and the program goes on.
#include "check.h"

__device__ int runs;
__global__ void counts() {
    if (threadIdx.x + threadIdx.y + threadIdx.z == 0) atomicAdd(&runs, 1);
}
__global__ void __launch_bounds__(128) bounded() {
    if (threadIdx.x == 0) atomicAdd(&runs, 1);
}
__global__ void dynamic(int last) {
    extern __shared__ char bytes[];
    bytes[last] = 3;
    if (threadIdx.x == 0) atomicAdd(&runs, bytes[last] == 3);
}
__global__ void half_static(int last) {
    __shared__ char half[24 * 1024];
    extern __shared__ char bytes[];
    half[last] = bytes[last] = 3;
    if (threadIdx.x == 0) atomicAdd(&runs, half[last] == bytes[last]);
}

__device__ void third(int last) {
    __shared__ char bytes[16 * 1024];
    bytes[last] = 3;
    if (threadIdx.x == 0) atomicAdd(&runs, bytes[last] == 3);
}
// With what it calls, 40 KiB of static memory; and 8 more that nobody reads.
template <class T>
__global__ void most_static(int last) {
    __shared__ T some[24 * 1024 / sizeof(T)];
    __shared__ T unused[8 * 1024 / sizeof(T)];
    extern __shared__ char bytes[];
    some[last] = 3;
    unused[last] = bytes[last] = 4;
    if (threadIdx.x == 0) atomicAdd(&runs, some[last] == T(3) ? 0 : 100);
    third(last);
}
constexpr int most_threads = 64;
#define BOUNDS_OF_TWO 2 * most_threads
template <class T>
__global__ void __launch_bounds__(most_threads) bounded_template(T) {
    if (threadIdx.x == 0) atomicAdd(&runs, 1);
}
__global__ void __launch_bounds__(BOUNDS_OF_TWO, 1) bounded_by_macro(int) {
    if (threadIdx.x == 0) atomicAdd(&runs, 1);
}

static int runs_now() {
    int value = -1;
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpyFromSymbol(&value, runs, sizeof value));
    return value;
}
static void refused(const char* what, cudaError_t wanted, int before) {
    expect(what, 0, cudaPeekAtLastError(), wanted);
    expect(what, 1, cudaGetLastError(), wanted);
    expect(what, 2, cudaGetLastError(), cudaSuccess);
    expect(what, 3, runs_now(), before);
}
static void accepted(const char* what, int after) {
    expect(what, 0, cudaGetLastError(), cudaSuccess);
    expect(what, 1, runs_now(), after);
}

int main() {
    const cudaError_t configuration = cudaErrorInvalidConfiguration,
                      invalid = cudaErrorInvalidValue;
    counts<<<2, 1024>>>();
    accepted("1024 threads", 2);
    counts<<<1, 1025>>>();
    refused("1025 threads", configuration, 2);
    counts<<<1, dim3(32, 33)>>>();
    refused("32 x 33 threads", configuration, 2);
    counts<<<1, dim3(1, 1, 65)>>>();
    refused("65 along z", configuration, 2);
    counts<<<1, dim3(1, 1, 64)>>>();
    accepted("64 along z", 3);
    counts<<<1, dim3(1025, 0, 1)>>>();
    refused("0 along y", configuration, 3);
    counts<<<1, 0>>>();
    refused("0 threads", configuration, 3);
    counts<<<0, 32>>>();
    refused("0 blocks", configuration, 3);
    counts<<<dim3(1, 0, 1), 32>>>();
    refused("0 blocks along y", configuration, 3);
    counts<<<dim3(1, 65535), 1>>>();
    accepted("65535 blocks along y", 3 + 65535);
    counts<<<dim3(1, 65536), 1>>>();
    refused("65536 blocks along y", configuration, 3 + 65535);
    counts<<<dim3(1, 1, 65536), 1>>>();
    refused("65536 blocks along z", configuration, 3 + 65535);
    counts<<<-1, 1>>>();
    refused("-1 blocks", configuration, 3 + 65535);
    const int zero = 0;
    OK(cudaMemcpyToSymbol(runs, &zero, sizeof zero));

    dynamic<<<1, 32, 48 * 1024>>>(48 * 1024 - 1);
    accepted("48 KiB", 1);
    dynamic<<<1, 32, 48 * 1024 + 1>>>(0);
    refused("more than 48 KiB", invalid, 1);
    half_static<<<1, 32, 24 * 1024>>>(24 * 1024 - 1);
    accepted("24 and 24 KiB", 2);
    half_static<<<1, 32, 24 * 1024 + 1>>>(0);
    refused("static and dynamic memory of more than 48 KiB", invalid, 2);
    int last = 0;
    void* first[] = {&last};
    expect("the same by name", 0,
           cudaLaunchKernel((void*)half_static, dim3(1), dim3(32), first, 24 * 1024 + 1, 0), invalid);
    refused("the same by name", invalid, 2);
    most_static<char><<<1, 32, 8 * 1024>>>(0);
    accepted("40 and 8 KiB", 3);
    most_static<float><<<1, 32, 8 * 1024 + 1>>>(0);
    refused("40 and more than 8 KiB", invalid, 3);
    const int two = 2;
    OK(cudaMemcpyToSymbol(runs, &two, sizeof two));
    cudaFuncAttributes a;
    OK(cudaFuncGetAttributes(&a, half_static));
    expect("attributes", 0, a.sharedSizeBytes, 24 * 1024);
    expect("attributes", 1, a.maxDynamicSharedSizeBytes, 24 * 1024);
    expect("attributes", 2, a.maxThreadsPerBlock, 1024);
    OK(cudaFuncGetAttributes(&a, bounded));
    expect("attributes", 3, a.maxThreadsPerBlock, 128);
    OK(cudaFuncGetAttributes(&a, bounded_by_macro));
    expect("attributes", 4, a.maxThreadsPerBlock, 128);
    cudaDeviceProp p;
    OK(cudaGetDeviceProperties(&p, 0));
    const int most = int(p.sharedMemPerBlockOptin);
    if (most > 48 * 1024) {
        OK(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
        dynamic<<<1, 32, most>>>(most - 1);
        accepted("opted in", 3);
        expect("more than there is", 0,
               cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1),
               cudaErrorInvalidValue);
        refused("more than there is", invalid, 3);
        half_static<<<1, 32, 56 * 1024>>>(0);
        refused("opted in for another kernel only", invalid, 3);
        expect("more than is left", 0,
               cudaFuncSetAttribute(half_static, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    most - 24 * 1024 + 1),
               cudaErrorInvalidValue);
        refused("more than is left", invalid, 3);
        OK(cudaFuncSetAttribute(half_static, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                most - 24 * 1024));
        half_static<<<1, 32, most - 24 * 1024 + 1>>>(0);
        refused("more than was asked for", invalid, 3);
    } else {
        counts<<<1, 1>>>();
        accepted("no opt-in here", 3);
    }
    bounded<<<1, 128>>>();
    accepted("as many as the bounds", 4);
    const cudaError_t resources = cudaErrorLaunchOutOfResources;
    bounded<<<1, 129>>>();
    refused("more than the bounds", resources, 4);
    bounded_by_macro<<<1, 129>>>(3);
    refused("more than a macro's bounds", resources, 4);
    bounded_template<int><<<1, 65>>>(3);
    refused("more than a template's bounds", resources, 4);
    void (*const pointer)() = bounded;
    pointer<<<1, 129>>>();
    refused("more than the bounds, by address", resources, 4);
    void* none[] = {nullptr};
    expect("more than the bounds, by name", 0,
           cudaLaunchKernel((void*)bounded, dim3(1), dim3(129), none, 0, 0), resources);
    refused("more than the bounds, by name", resources, 4);
    expect("cudaLaunchKernel", 0, cudaLaunchKernel((void*)counts, dim3(1), dim3(2000), none, 0, 0),
           cudaErrorInvalidConfiguration);
    refused("cudaLaunchKernel", configuration, 4);

    // A refused launch is no end: the error stays until it is asked for, launches go on meanwhile.
    counts<<<1, 4096>>>();
    counts<<<1, 32>>>();
    expect("kept", 0, cudaPeekAtLastError(), configuration);
    expect("kept", 1, runs_now(), 5);
    expect("kept", 2, cudaGetLastError(), configuration);
    expect("gone", 0, cudaGetLastError(), cudaSuccess);
    return verdict();
}
