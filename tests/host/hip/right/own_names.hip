// Names of the program's own that look like CUDA's or HIP's, and what other compilers read of it.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>

#if defined(__CUDACC__)
#include <curand_kernel.h>
#endif
#if defined(__CUDA_ARCH__) || __has_include(<cuda_of_nobody.h>)
#include "nobody_has_this.h"
#endif
#ifndef HIP_BLOCK
#define HIP_BLOCK 64
#endif
#define SHOWN(call) shown(#call, call)

struct hipTimer {
    int hipStarts = 0;
};
struct cudaTimer {
    int cudaStarts = 0;
};
static int calls = 0;
// Beside HIP's own hipFree: another function, whatever stands for HIP's here.
static hipError_t cudaFree(void* p) {
    ++calls;
    return hipFree(p);
}
#define cudaMalloc(p, n) (++calls, hipMalloc(p, n))
template <class T>
static T hipCheck(T error) {
    return error;
}
static int shown(const char* text, int value) {
    std::printf("%s\n", text);
    return std::strstr(text, "_of_") == nullptr ? value : -1;
}
enum { hipOwn = 3, cudaOwn = 4 };
enum mode { CUmode = 1, WGPmode = 2, cuLast };
static const char* const texts[] = {"", "CUmode", "WGPmode", "cuLast", "cuCount", "CUs"};
#define SAME(name) (std::strcmp(#name, texts[name]) == 0)
static int sum_of(int cuFirst, const int* CUlist) { return cuFirst + *CUlist; }
// Branches for other dialects and conditions of HIP's own have both.
#ifdef __HIP_DEVICE_COMPILE__
__device__ int of_side() { return 1; }
#else
__host__ int of_side() { return 2; }
#endif

__device__ int lane_of() {
#ifdef __CUDA_ARCH__
    int lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
#else
    return __lane_id();
#endif
}
__global__ void fill(unsigned long long* x) {
    const unsigned long long all = __activemask(), even = __ballot(threadIdx.x % 2 == 0);
    x[threadIdx.x] = threadIdx.x % 32 == static_cast<unsigned>(lane_of()) ? all << 1 | (even & 1) : 0;
    __syncwarp();
}
__global__ void shift(int4* x) { *x = (*x << 2) + (~*x & 3) + *x % 2, ++*x; }

int main() {
    unsigned long long host[HIP_BLOCK], *x;
    if (cudaMalloc(&x, sizeof host) != hipSuccess) return 1;
    fill<<<1, HIP_BLOCK>>>(x);
    if (hipCheck(hipMemcpy(host, x, sizeof host, hipMemcpyDeviceToHost)) != hipSuccess) return 2;
    if (host[HIP_BLOCK - 1] != 0x1ffffffffull) return 3;
    int4 four{1, 2, 3, 4}, *y;
    if (hipMalloc(&y, sizeof four) != hipSuccess) return 4;
    (void)hipMemcpy(y, &four, sizeof four, hipMemcpyHostToDevice);
    shift<<<1, 1>>>(y);
    (void)hipMemcpy(&four, y, sizeof four, hipMemcpyDeviceToHost);
    if (four != int4{8, 10, 14, 20}) return 5;
    if (hipFree(y) != hipSuccess || cudaFree(x) != hipSuccess || calls != 2) return 6;
    hipTimer a;
    cudaTimer b;
    if (SHOWN(hipCheck(0)) != 0 || a.hipStarts + b.cudaStarts + hipOwn + cudaOwn != 7) return 7;
    const int cuCount = 4, CUs = 5;
    if (!SAME(CUmode) || !SAME(WGPmode) || !SAME(cuLast) || !SAME(cuCount) || !SAME(CUs)) return 9;
    if (sum_of(CUs, &cuCount) != 9 || of_side() != 2) return 10;
    const char* first = hipGetErrorName(hipErrorInvalidValue);
    const char* second = hipGetErrorName(hipErrorInvalidDevice);
    if (std::strcmp(first, "hipErrorInvalidValue") != 0 || std::strcmp(second, "hipErrorInvalidDevice") != 0)
        return 8;
    return hipDeviceSynchronize();
}
