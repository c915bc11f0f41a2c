// Barrier objects, stages, latches, semaphores and large tiles under --check.
// 1 finds: nothing
// 2 finds: race: 
// 3 finds: race: 
// 4 finds: race: 
// 5 finds: uninitialised_read: 
// 6 finds: race: 
// 7 finds: race: 
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>

#include <cstdio>

namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;

/// Neighbours exchange in phases.
__global__ void phases(int* out, int rounds) {
    __shared__ barrier ready;
    __shared__ int s[64];
    const int t = threadIdx.x;
    if (t == 0) init(&ready, blockDim.x);
    __syncthreads();
    int value = t;
    for (int i = 0; i < rounds; ++i) {
        s[t] = value;
        auto token = ready.arrive();
#if CASE == 2
        value += s[(t + 1) % 64];  // before the others have arrived
        ready.wait(std::move(token));
#else
        ready.wait(std::move(token));
        value += s[(t + 1) % 64];
#endif
#if CASE != 3
        ready.arrive_and_wait();
#endif
    }
    out[t] = value;
}

/// Half of the block loads what the other half sums up.
__global__ void staged(const int* in, int* out, int tiles) {
    constexpr int stages = 2;
    __shared__ int s[stages][32];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    auto block = cg::this_thread_block();
    const bool produces = threadIdx.x < 32;
    const int lane = threadIdx.x % 32;
    auto pipe = cuda::make_pipeline(
        block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    int sum = 0;
    for (int tile = 0; tile < tiles; ++tile) {
        if (produces) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[tile % stages][lane], in + tile * 32 + lane, sizeof(int), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            sum += s[tile % stages][31 - lane];
            pipe.consumer_release();
        }
    }
    if (!produces) out[lane] = sum;
}

__global__ void large_tiles(int* out) {
    __shared__ cg::block_tile_memory<128> memory;
    __shared__ int s[128];
    auto tile = cg::tiled_partition<64>(cg::this_thread_block(memory));
    const int t = threadIdx.x, first = t / 64 * 64;
    s[t] = t;
#if CASE != 4
    tile.sync();
#endif
    const int next = s[first + (t + 33) % 64];
    out[t] = cg::reduce(tile, next, cg::plus<int>());
}

__global__ void one_at_a_time(int* out) {
    __shared__ cuda::binary_semaphore<cuda::thread_scope_block> free_now;
    __shared__ cuda::latch<cuda::thread_scope_block> all_done;
    __shared__ int sum;
    const int t = threadIdx.x;
    if (t == 0) {
        new (&free_now) cuda::binary_semaphore<cuda::thread_scope_block>(1);
        new (&all_done) cuda::latch<cuda::thread_scope_block>(blockDim.x);
#if CASE != 5
        sum = 0;
#endif
    }
    __syncthreads();
    free_now.acquire();
    sum += t;
    free_now.release();
    all_done.arrive_and_wait();
    if (t == 37) *out = sum;
}

/// The halves of a block each meet at a barrier of inline PTX.
__global__ void halves(int* out) {
    __shared__ int s[64];
    const int t = threadIdx.x, half = t / 32;
    s[t] = t;
#if CASE != 6
    asm volatile("bar.sync %0, 32;" ::"r"(1 + half) : "memory");
#endif
    out[t] = s[half * 32 + (31 - t % 32)];
    asm volatile("bar.sync 0, 64;" ::: "memory");
    if (t == 0) s[40] = 1;
}

/// All threads arrive at an mbarrier object, and each asks until all have.
__global__ void objects(int* out) {
    __shared__ unsigned long long b;
    __shared__ int s[64];
    const int t = threadIdx.x;
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&b));
    if (t == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(at));
    __syncthreads();
    s[t] = t;
    unsigned long long state = 0;
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
    unsigned has_passed = CASE == 7;
    while (has_passed == 0)
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
            : "=r"(has_passed)
            : "r"(at), "l"(state)
            : "memory");
    out[t] = s[63 - t];
}

int main() {
    int *in, *out;
    int host[128];
    for (int i = 0; i < 128; ++i) host[i] = i * i % 101;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    int failures = 0, got[128];
    phases<<<1, 64>>>(out, 1);
    cudaMemcpy(got, out, 64 * sizeof(int), cudaMemcpyDeviceToHost);
    for (int t = 0; t < 64; ++t) failures += got[t] != t + (t + 1) % 64;
    phases<<<1, 64>>>(out, 3);
    cudaDeviceSynchronize();
    staged<<<1, 64>>>(in, out, 4);
    cudaMemcpy(got, out, 32 * sizeof(int), cudaMemcpyDeviceToHost);
    for (int lane = 0; lane < 32; ++lane) {
        int want = 0;
        for (int tile = 0; tile < 4; ++tile) want += host[tile * 32 + 31 - lane];
        failures += got[lane] != want;
    }
    large_tiles<<<1, 128>>>(out);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    for (int t = 0; t < 128; ++t) failures += got[t] != t / 64 * 4096 + 2016;
    one_at_a_time<<<1, 64>>>(out);
    cudaMemcpy(got, out, sizeof(int), cudaMemcpyDeviceToHost);
    failures += got[0] != 2016;
    halves<<<1, 64>>>(out);
    cudaMemcpy(got, out, 64 * sizeof(int), cudaMemcpyDeviceToHost);
    for (int t = 0; t < 64; ++t) failures += got[t] != t / 32 * 32 + 31 - t % 32;
    objects<<<1, 64>>>(out);
    cudaMemcpy(got, out, 64 * sizeof(int), cudaMemcpyDeviceToHost);
    for (int t = 0; t < 64; ++t) failures += got[t] != 63 - t;
    if (cudaDeviceSynchronize() != cudaSuccess) ++failures;
    cudaFree(in);
    cudaFree(out);
    if (failures) std::printf("%d failures\n", failures);
    return failures != 0;
}
