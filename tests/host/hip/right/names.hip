// What HIP has and CUDA has not, or has otherwise: names of errors, properties, calls by the driver
// API's names, operators of vectors, conditions, and lanes without masks.
#include <hip/hip_complex.h>
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>
#include <string>

static int failures = 0;
static std::string seen;

#define MUST(condition) \
    do { \
        if (!(condition)) std::printf("line %d: %s\n", __LINE__, #condition), ++failures; \
    } while (0)
#define SHOW(call) seen = #call, (void)(call)

#if !defined(__HIPCC__) || !defined(__HIP__) || !defined(__HIP_PLATFORM_AMD__)
#error the macros of hipcc are missing
#endif
#if defined(__CUDACC__) || defined(__NVCC__) || defined(CUDART_VERSION) || defined(__HIP_PLATFORM_NVIDIA__)
#error nvcc has these macros, and hipcc has not
#endif
#ifdef __CUDACC__
#include <cuda_runtime.h>
int call_of_cuda() { return cudaDeviceSynchronize(); }
#endif
#ifdef __CUDA_ARCH__
#error there is no such architecture
#endif

__device__ unsigned long long masks[4];

__global__ void lanes(int* out) {
    // Of these lanes, the odd ones go another way.
    if (threadIdx.x % 2 == 0) {
        const unsigned long long active = __activemask();
        if (threadIdx.x == 0) masks[0] = active, masks[1] = __ballot(1);
        else out[threadIdx.x] = __lane_id();
    } else {
        int sum = threadIdx.x;
        sum += __shfl_xor(sum, 2);
        out[threadIdx.x] = sum;
    }
    const unsigned long long all = ~0ull;
    const int next = __shfl_down_sync(all, static_cast<int>(threadIdx.x), 1);
    const int any = __any_sync(all, next == 9) + __popcll(__ballot_sync(all, next > 16)) * 10;
    if (threadIdx.x == 4) out[40] = next + any * 100;
    const float4 a = make_float4(1, 2, 3, 4), b = 2 * a + a / 2.0f - 1;
    const int2 c = -(make_int2(3, 4) * make_int2(2, 2));
    if (threadIdx.x == 0) {
        masks[2] = static_cast<unsigned long long>(b.w * 10);
        masks[3] = static_cast<unsigned long long>(-c.y);
        out[0] = __popcll(__ballot64(0)) + static_cast<int>(warpSize);
    }
}

// Without a wait, the threads of a block are a loop: each knows its lane all the same.
__global__ void places(unsigned* x) {
    const unsigned lane = __lane_id();
#if defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__ == 1
    x[threadIdx.x] = lane + 100 * __popcll(__lanemask_lt());
#endif
}

struct own_float3 {
    float x;
};
__host__ __device__ inline own_float3 operator+(own_float3 a, own_float3 b) { return {a.x + b.x}; }
__host__ __device__ inline float3 operator*(const float3& a, const float3& b) {
    return make_float3(a.x * b.x + 100, 0, 0);
}

int main() {
    MUST(std::strcmp(hipGetErrorName(hipErrorOutOfMemory), "hipErrorOutOfMemory") == 0);
    MUST(std::strcmp(hipGetErrorName(hipErrorInvalidValue), "hipErrorInvalidValue") == 0);
    MUST(std::strcmp(hipGetErrorName(hipSuccess), "hipSuccess") == 0);
    MUST(hipErrorNotInitialized == 3 && hipErrorInvalidDevice == 101 && hipErrorNotFound == 500);
    SHOW(hipDeviceSynchronize());
    MUST(seen == "hipDeviceSynchronize()");

    hipDeviceProp_t about;
    MUST(hipGetDeviceProperties(&about, 0) == hipSuccess);
    MUST(about.warpSize == 32 && about.clockRate > 0 && about.arch.hasWarpShuffle);
    MUST(std::strncmp(about.gcnArchName, "gfx", 3) == 0);
    hipDevice_t device;
    char name[64];
    size_t bytes = 0;
    int major = 0, minor = 0;
    MUST(hipInit(0) == hipSuccess && hipDeviceGet(&device, 0) == hipSuccess);
    MUST(hipDeviceGet(&device, 7) == hipErrorInvalidDevice);
    MUST(hipDeviceGetName(name, sizeof name, 0) == hipSuccess && std::strlen(name) > 0);
    MUST(hipDeviceTotalMem(&bytes, 0) == hipSuccess && bytes == about.totalGlobalMem);
    MUST(hipDeviceComputeCapability(&major, &minor, 0) == hipSuccess && major == about.major);

    int host[64] = {}, *x;
    hipDeviceptr_t y;
    MUST(hipMalloc(&x, sizeof host) == hipSuccess && hipMalloc(&y, sizeof host) == hipSuccess);
    MUST(hipMemsetD32(y, 0x01020304, 64) == hipSuccess);
    MUST(hipMemcpyDtoD(x, y, sizeof host) == hipSuccess);
    MUST(hipMemcpyDtoH(host, x, sizeof host) == hipSuccess && host[63] == 0x01020304);
    MUST(hipMemsetD16(y, 0x1111, 2) == hipSuccess && hipMemsetD8(x, 7, 4) == hipSuccess);
    MUST(hipMemsetD32Async(x, 5, 1) == hipSuccess);
    MUST(hipMemcpyWithStream(host, x, 4, hipMemcpyDeviceToHost, 0) == hipSuccess && host[0] == 5);
    MUST(hipMemcpyHtoD(x, host, sizeof host) == hipSuccess);
    int* pinned;
    MUST(hipHostMalloc(&pinned, 128) == hipSuccess && hipHostFree(pinned) == hipSuccess);
    MUST(hipHostMalloc((void**)&pinned, 128, hipHostMallocCoherent | hipHostMallocMapped) == hipSuccess);
    MUST(hipHostFree(pinned) == hipSuccess);

    hipLaunchKernelGGL(lanes, dim3(1), dim3(32), 0, hipStreamPerThread, x);
    MUST(hipDeviceSynchronize() == hipSuccess);
    unsigned long long found[4];
    MUST(hipMemcpy(host, x, sizeof host, hipMemcpyDeviceToHost) == hipSuccess);
    MUST(hipMemcpyFromSymbol(found, HIP_SYMBOL(masks), sizeof found) == hipSuccess);
    MUST(found[0] == 0x55555555 && found[1] == 1 && found[2] == 90 && found[3] == 8);
    MUST(host[0] == 32 && host[2] == 2 && host[5] == 5 + 7 && host[31] == 31 + 29);
    MUST(host[40] == 5 + 16100);
    places<<<1, 64>>>(reinterpret_cast<unsigned*>(x));
    MUST(hipMemcpy(host, x, sizeof host, hipMemcpyDeviceToHost) == hipSuccess);
    MUST(host[0] == 0 && host[31] == 3131 && host[33] == 101);
    MUST((make_float3(2, 2, 2) * make_float3(3, 3, 3)).x == 106);
    MUST((own_float3{1} + own_float3{2}).x == 3 && make_int2(1, 2) == make_int2(1, 2));
    MUST(hipCsqabsf(make_hipFloatComplex(3, 4)) == 25);
    hipFree(x);
    hipFree(y);
    return failures;
}
