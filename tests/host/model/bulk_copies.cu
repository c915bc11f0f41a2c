// Bulk copies between global and shared memory with a barrier that counts their bytes; and half
// floats in a program whose first header is libcu++'s.
#include <cuda/barrier>

#include <cuda_fp16.h>

#include <utility>

#include "check.h"

using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace bulk = cuda::device::experimental;

__global__ void add_one(const int* in, int* out) {
    __shared__ alignas(16) int part[256];
    __shared__ barrier filled;
    if (threadIdx.x == 0) {
        init(&filled, blockDim.x);
        bulk::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        bulk::cp_async_bulk_global_to_shared(part, in + blockIdx.x * 256, sizeof part, filled);
        token = cuda::device::barrier_arrive_tx(filled, 1, sizeof part);
    } else {
        token = filled.arrive();
    }
    filled.wait(std::move(token));
    for (int i = threadIdx.x; i < 256; i += blockDim.x) part[i] += 1;
    bulk::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk::cp_async_bulk_shared_to_global(out + blockIdx.x * 256, part, sizeof part);
        bulk::cp_async_bulk_commit_group();
        bulk::cp_async_bulk_wait_group_read<0>();
    }
}

__global__ void sum(__half2* to) { atomicAdd(to, __floats2half2_rn(1, 2)); }

int main() {
    int *in, *out;
    __half2* both;
    cudaMallocManaged(&in, 512 * sizeof(int));
    cudaMallocManaged(&out, 512 * sizeof(int));
    cudaMallocManaged(&both, sizeof *both);
    *both = __floats2half2_rn(0, 0);
    for (int i = 0; i < 512; ++i) in[i] = i;
    add_one<<<2, 64>>>(in, out);
    sum<<<2, 16>>>(both);
    wait_for_device();
    for (int i = 0; i < 512; ++i) MUST(out[i] == i + 1);
    MUST(__low2float(*both) == 32 && __high2float(*both) == 64);
    return verdict();
}
