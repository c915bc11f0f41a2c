// A CUDA program that could be one in HIP as well is one in CUDA: it sees nothing of HIP, its own
// names stay its own, and what it includes for others is not missed.
#if defined(__HIPCC__) || defined(__HIP_PLATFORM_AMD__) || __has_include(<hip/hip_runtime.h>)
#include <hip/hip_runtime.h>
#include <hipcub/hipcub.hpp>
#include <hiprand/hiprand_kernel.h>
#include <rccl/rccl.h>
#include <rocprim/rocprim.hpp>
#define ON_HIP 1
#else
#include <cuda_runtime.h>
#define ON_HIP 0
#endif
#include "check.h"

#ifdef hipMalloc
#error names of HIP
#endif

__device__ inline unsigned __lane_id() { return threadIdx.x % 32; }
__device__ inline unsigned __lanemask_lt() { return (1u << __lane_id()) - 1; }
static cudaError_t hipMalloc(int** p, size_t n) { return cudaMalloc(p, n); }

__global__ void fill(unsigned* x) {
    x[threadIdx.x] = __lanemask_lt();
    __syncthreads();
    if (threadIdx.x == 0) x[0] = x[31];
}

int main() {
    int* x;
    unsigned host = 0;
    MUST(ON_HIP == 0);
    MUST(hipMalloc(&x, 32 * sizeof(unsigned)) == cudaSuccess);
    fill<<<1, 32>>>(reinterpret_cast<unsigned*>(x));
    MUST(cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess);
    MUST(host == 0x7fffffff);
    return verdict();
}
