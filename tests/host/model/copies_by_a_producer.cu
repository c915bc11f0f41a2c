// A warp copies for the others of its block: stages with a barrier that says full and one that says empty, by
// cuda::barrier, by cuda::ptx, and copies that a barrier of all threads counts.
#include <cooperative_groups.h>

#include <cuda/barrier>
#include <cuda/ptx>
#include <utility>

#include "check.h"

namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int width = 128, stages = 3;

/// The producer goes ahead by as many stages as there are; tokens are of the phase before.
__global__ void by_tokens(const int* in, int* out, int tiles) {
    __shared__ alignas(128) int tile[stages][width];
    __shared__ barrier full[stages], empty[stages];
    const int t = threadIdx.x;
    if (t == 0)
        for (int s = 0; s < stages; ++s) {
            init(&full[s], 1 + width);
            init(&empty[s], 1 + width);
        }
    __syncthreads();
    if (t >= width) {
        if (t > width) return;
        for (int i = 0; i < tiles; ++i) {
            const int s = i % stages;
            empty[s].wait(empty[s].arrive());
            cuda::device::memcpy_async_tx(tile[s], in + i * width, cuda::aligned_size_t<16>(sizeof tile[s]), full[s]);
            (void)cuda::device::barrier_arrive_tx(full[s], 1, sizeof tile[s]);
        }
        return;
    }
    int sum = 0;
    for (int s = 0; s < stages; ++s) (void)empty[s].arrive();
    for (int i = 0; i < tiles; ++i) {
        const int s = i % stages;
        full[s].wait(full[s].arrive());
        sum += tile[s][(t + i) % width] * (i + 1);
        (void)empty[s].arrive();
    }
    out[t] = sum;
}

/// By parities: a fresh barrier passes for the parity 1, which is how the producer begins.
__global__ void by_parities(const float* in, float* out, int tiles) {
    namespace ptx = cuda::ptx;
    __shared__ alignas(128) float tile[stages][width];
    __shared__ uint64_t full[stages], empty[stages];
    const int t = threadIdx.x;
    if (t == 0)
        for (int s = 0; s < stages; ++s) {
            ptx::mbarrier_init(&full[s], 1);
            ptx::mbarrier_init(&empty[s], width / 32);
        }
    __syncthreads();
    if (t >= width) {
        if (t > width) return;
        for (int i = 0; i < tiles; ++i) {
            const int s = i % stages;
            while (!ptx::mbarrier_try_wait_parity(&empty[s], 1 - i / stages % 2)) {
            }
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s],
                                           sizeof tile[s]);
            for (int half = 0; half < 2; ++half)
                ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[s] + half * width / 2,
                                   in + i * width + half * width / 2, sizeof tile[s] / 2, &full[s]);
        }
        return;
    }
    float sum = 0;
    for (int i = 0; i < tiles; ++i) {
        const int s = i % stages;
        // One lane asks, and its warp goes on with it.
        if (t % 32 == 0)
            while (!ptx::mbarrier_try_wait_parity(&full[s], i / stages % 2)) {
            }
        __syncwarp();
        sum += tile[s][width - 1 - t] + tile[s][t];
        __syncwarp();
        if (t % 32 == 0) ptx::mbarrier_arrive(&empty[s]);
    }
    out[t] = sum;
}

/// Two tiles: while one is used, the other is copied, by single threads and by the group.
__global__ void two_tiles(const int* in, int* out, int tiles) {
    __shared__ alignas(16) int tile[2][width];
    __shared__ barrier copied[2];
    auto block = cg::this_thread_block();
    const int t = threadIdx.x;
    if (t == 0) {
        init(&copied[0], width);
        init(&copied[1], width);
    }
    block.sync();
    cuda::memcpy_async(block, tile[0], in, sizeof tile[0], copied[0]);
    int sum = 0;
    for (int i = 0; i < tiles; ++i) {
        if (i + 1 < tiles)
            cuda::memcpy_async(&tile[(i + 1) % 2][t], in + (i + 1) * width + t, sizeof(int), copied[(i + 1) % 2]);
        copied[i % 2].arrive_and_wait();
        sum += tile[i % 2][(t * 5 + 1) % width] * (i + 2);
        block.sync();
    }
    out[t] = sum;
}

/// The copies of cp.async arrive at an mbarrier: each thread once (noinc), or beside its own arrival.
__global__ void arrivals(const int* in, int* out) {
    __shared__ int tile[2][width];
    __shared__ uint64_t copied;
    const int t = threadIdx.x;
    const auto at = [](const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); };
    if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(&copied)), "r"(width));
    __syncthreads();
    for (int i = 0; i < 2; ++i) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(&tile[i][t])), "l"(in + i * width + t));
        if (i == 0) {
            asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at(&copied)));
        } else {
            asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(at(&copied)));
            asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(at(&copied)));
        }
        unsigned passed = 0;
        while (passed == 0)
            asm volatile(
                "{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                : "=r"(passed)
                : "r"(at(&copied)), "r"(i));
    }
    out[t] = tile[0][width - 1 - t] + 1000 * tile[1][t ^ 1];
}

template <class T>
static T* managed(int count) {
    T* made = nullptr;
    OK(cudaMallocManaged(&made, count * sizeof(T)));
    return made;
}

int main() {
    const int tiles = 8;
    int *in = managed<int>(tiles * width), *out = managed<int>(width);
    float *reals = managed<float>(tiles * width), *sums = managed<float>(width);
    for (int i = 0; i < tiles * width; ++i) {
        in[i] = i * 7 % 1013;
        reals[i] = static_cast<float>(i % 97);
    }
    by_tokens<<<1, width + 32>>>(in, out, tiles);
    OK(cudaDeviceSynchronize());
    for (int t = 0; t < width; ++t) {
        int sum = 0;
        for (int i = 0; i < tiles; ++i) sum += in[i * width + (t + i) % width] * (i + 1);
        MUST(out[t] == sum);
    }
    by_parities<<<1, width + 32>>>(reals, sums, tiles);
    OK(cudaDeviceSynchronize());
    for (int t = 0; t < width; ++t) {
        float sum = 0;
        for (int i = 0; i < tiles; ++i) sum += reals[i * width + width - 1 - t] + reals[i * width + t];
        MUST(sums[t] == sum);
    }
    two_tiles<<<2, width>>>(in, out, tiles);
    OK(cudaDeviceSynchronize());
    for (int t = 0; t < width; ++t) {
        int sum = 0;
        for (int i = 0; i < tiles; ++i) sum += in[i * width + (t * 5 + 1) % width] * (i + 2);
        MUST(out[t] == sum);
    }
    arrivals<<<1, width>>>(in, out);
    OK(cudaDeviceSynchronize());
    for (int t = 0; t < width; ++t) MUST(out[t] == in[width - 1 - t] + 1000 * in[width + (t ^ 1)]);
    cudaFree(in), cudaFree(out), cudaFree(reals), cudaFree(sums);
    return verdict();
}
