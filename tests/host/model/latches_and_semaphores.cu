// cuda::latch, cuda::counting_semaphore and cuda::binary_semaphore in kernels.
#include <cuda/latch>
#include <cuda/semaphore>

#include <new>

#include "check.h"

__global__ void latched(int* out) {
    __shared__ alignas(16) unsigned char room[64];
    auto* latch = reinterpret_cast<cuda::latch<cuda::thread_scope_block>*>(room);
    if (threadIdx.x == 0) new (latch) cuda::latch<cuda::thread_scope_block>(blockDim.x);
    __syncthreads();
    if (threadIdx.x % 2 == 1) {
        out[threadIdx.x] = 1;
        latch->count_down();
    } else {
        out[threadIdx.x] = 1;
        latch->arrive_and_wait();
        int sum = 0;
        for (int i = 0; i < int(blockDim.x); ++i) sum += out[i] != 0;
        out[threadIdx.x] = sum;
    }
}

__device__ cuda::binary_semaphore<cuda::thread_scope_device> door{1};
__device__ cuda::counting_semaphore<cuda::thread_scope_device, 2> seats{0};

__global__ void through(int* count) {
    door.acquire();
    *count = *count + 1;
    door.release();
}
__global__ void seated(int* count) {
    if (threadIdx.x + 1 == blockDim.x) {
        seats.release(2);
    } else if (threadIdx.x < 2) {
        seats.acquire();
        atomicAdd(count, 1);
    }
}

int main() {
    int* x = managed<int>(130);
    for (int i = 0; i < 130; ++i) x[i] = 0;
    latched<<<1, 128>>>(x);
    wait_for_device();
    for (int i = 0; i < 128; ++i) MUST(x[i] == (i % 2 == 1 ? 1 : 128));
    through<<<4, 64>>>(x + 128);
    seated<<<1, 64>>>(x + 129);
    MUST(cudaDeviceSynchronize() == cudaSuccess && x[128] == 256 && x[129] == 2);
    return verdict();
}
