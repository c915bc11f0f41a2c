// Copies that are waited for, by groups of a thread: what a wait promises is there, whatever else is on its way.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

#include <cuda/pipeline>

#include "check.h"

namespace cg = cooperative_groups;

constexpr int width = 64, stages = 4;

__device__ unsigned shared_place(void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

/// Three stages are on their way while the fourth is used.
__global__ void staged(const int* in, int* out, int tiles) {
    __shared__ int tile[stages][width];
    const int t = threadIdx.x;
    int sum = 0;
    for (int i = 0; i < tiles + stages - 1; ++i) {
        if (i < tiles) __pipeline_memcpy_async(&tile[i % stages][t], in + i * width + t, sizeof(int));
        __pipeline_commit();
        if (i < stages - 1) continue;
        const int now = i - (stages - 1);
        __pipeline_wait_prior(stages - 1);
        __syncthreads();
        sum += tile[now % stages][(t + 1) % width] * (now + 1);
        __syncthreads();
    }
    out[t] = sum;
}

/// wait_all has what no group has; the rest of a short copy is zeros.
__global__ void ptx(const int4* in, int4* out) {
    __shared__ int4 tile[width];
    __shared__ int ends[width];
    const int t = threadIdx.x;
    tile[t] = make_int4(-1, -1, -1, -1);
    ends[t] = -1;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(shared_place(&tile[t])), "l"(in + t),
                 "r"(t % 3 == 0 ? 4 : 16));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_place(&ends[t])), "l"(&in[t].w));
    asm volatile("cp.async.wait_all;");
    __syncthreads();
    const int other = width - 1 - t;
    out[t] = tile[other];
    out[t].w += ends[other];
}

/// Bytes, structures and tiles; the last copy may be on its way.
struct triple {
    float x, y, z;
};
__global__ void groups(const triple* in, const unsigned char* bytes, float* out, int* sums) {
    __shared__ triple points[width];
    __shared__ alignas(16) unsigned char letters[2][100];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, points, in, sizeof points);
    cg::memcpy_async(block, letters[0], bytes, 100);
    cg::memcpy_async(block, letters[1], 50, bytes + 100, 70);
    cg::wait_prior<1>(block);
    const int t = threadIdx.x;
    out[t] = points[width - 1 - t].x + points[(t + 5) % width].z;
    int sum = 0;
    for (int i = 0; i < 100; ++i) sum += letters[0][i] * (i + t);
    cg::wait(block);
    for (int i = 0; i < 50; ++i) sum += letters[1][i];
    sums[t] = sum;
}

/// A warp copies for itself, one thread for all, and a stage is asked for by its number.
__global__ void pipelines(const double* in, double* out) {
    __shared__ double own[2][width], first[width];
    auto pipe = cuda::make_pipeline();
    const int t = threadIdx.x;
    for (int i = 0; i < 2; ++i) {
        pipe.producer_acquire();
        cuda::memcpy_async(&own[i][t], in + i * width + t, sizeof(double), pipe);
        pipe.producer_commit();
    }
    pipe.consumer_wait();
    double sum = own[0][t];
    pipe.consumer_release();
    pipe.producer_acquire();
    if (t == 0) cuda::memcpy_async(first, in, sizeof first, pipe);
    pipe.producer_commit();
    cuda::pipeline_consumer_wait_prior<1>(pipe);
    sum += own[1][t];
    pipe.consumer_release();
    pipe.consumer_wait();
    __syncthreads();
    out[t] = sum + first[width - 1 - t];
    pipe.consumer_release();
}

/// A copy that nobody waits for, and nobody reads, is not the next block's.
__global__ void forgotten(const int* in, int* out) {
    __shared__ int tile[width], other[width];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], in + blockIdx.x * width + t, sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[blockIdx.x * width + t] = tile[t ^ 1];
    __pipeline_memcpy_async(&other[t], in + t, sizeof(int));
    __pipeline_commit();
}

template <class T>
static T* managed(int count) {
    T* made = nullptr;
    OK(cudaMallocManaged(&made, count * sizeof(T)));
    return made;
}

int main() {
    const int tiles = 7;
    int *numbers = managed<int>(tiles * width), *found = managed<int>(tiles * width);
    for (int i = 0; i < tiles * width; ++i) numbers[i] = i * 3 + 1;
    staged<<<1, width>>>(numbers, found, tiles);
    OK(cudaDeviceSynchronize());
    for (int t = 0; t < width; ++t) {
        int sum = 0;
        for (int i = 0; i < tiles; ++i) sum += numbers[i * width + (t + 1) % width] * (i + 1);
        MUST(found[t] == sum);
    }
    forgotten<<<tiles, width>>>(numbers, found);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < tiles * width; ++i) MUST(found[i] == numbers[i ^ 1]);

    int4 *fours = managed<int4>(width), *four_found = managed<int4>(width);
    for (int i = 0; i < width; ++i) fours[i] = make_int4(i, i + 100, i + 200, i + 300);
    ptx<<<1, width>>>(fours, four_found);
    OK(cudaDeviceSynchronize());
    for (int t = 0; t < width; ++t) {
        const int from = width - 1 - t;
        const bool is_short = from % 3 == 0;
        MUST(four_found[t].x == from && four_found[t].y == (is_short ? 0 : from + 100));
        MUST(four_found[t].w == (is_short ? 0 : from + 300) + from + 300);
    }

    triple* points = managed<triple>(width);
    auto* letters = managed<unsigned char>(200);
    float* places = managed<float>(width);
    for (int i = 0; i < width; ++i) points[i] = {i + 0.25f, -1, i * 2.f};
    for (int i = 0; i < 200; ++i) letters[i] = static_cast<unsigned char>(i * 7 % 251);
    groups<<<1, width>>>(points, letters, places, found);
    OK(cudaDeviceSynchronize());
    for (int t = 0; t < width; ++t) {
        MUST(places[t] == points[width - 1 - t].x + points[(t + 5) % width].z);
        int sum = 0;
        for (int i = 0; i < 100; ++i) sum += letters[i] * (i + t);
        for (int i = 0; i < 50; ++i) sum += letters[100 + i];
        MUST(found[t] == sum);
    }

    double *in = managed<double>(2 * width), *out = managed<double>(width);
    for (int i = 0; i < 2 * width; ++i) in[i] = i + 0.5;
    pipelines<<<1, width>>>(in, out);
    OK(cudaDeviceSynchronize());
    for (int t = 0; t < width; ++t) MUST(out[t] == in[t] + in[width + t] + in[width - 1 - t]);
    return verdict();
}
