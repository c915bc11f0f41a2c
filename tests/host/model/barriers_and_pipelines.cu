// cuda::barrier and cuda::pipeline: phases, threads that arrive early, drops, stages that the
// block shares, roles; and the pipeline's primitives.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/chrono>

#include "check.h"

namespace cg = cooperative_groups;

/// Neighbours exchange in phases; the token is taken before other work.
__global__ void phases(int* x, int rounds) {
    __shared__ cuda::barrier<cuda::thread_scope_block> ready;
    __shared__ int s[64];
    const int t = threadIdx.x;
    if (t == 0) init(&ready, blockDim.x);
    __syncthreads();
    int value = t;
    for (int i = 0; i < rounds; ++i) {
        s[t] = value;
        auto token = ready.arrive();
        value = 1;  // something meanwhile
        ready.wait(std::move(token));
        value += s[(t + 1) % 64];
        ready.arrive_and_wait();
    }
    x[t] = value;
}

/// Every stage is loaded by all threads and read by others than loaded it.
__global__ void staged(const int* in, int* out, int tiles) {
    constexpr int stages = 2;
    __shared__ int s[stages][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    const int t = threadIdx.x;
    int sum = 0;
    for (int loaded = 0, tile = 0; tile < tiles; ++tile) {
        for (; loaded < tiles && loaded < tile + stages; ++loaded) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[loaded % stages][t], in + loaded * 64 + t, sizeof(int), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += s[tile % stages][63 - t];
        pipe.consumer_release();
    }
    out[t] = sum;
}

__global__ void primitives(const int* in, int* out) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], in + t, sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = s[63 - t];
}

/// A function that is called when all have come, before anybody goes on.
struct count_phases {
    int* phases;
    __device__ void operator()() { ++*phases; }
};
__global__ void completions(int* out) {
    using barrier = cuda::barrier<cuda::thread_scope_block, count_phases>;
    __shared__ alignas(barrier) unsigned char room[sizeof(barrier)];
    __shared__ int phases;
    barrier& met = *reinterpret_cast<barrier*>(room);
    if (threadIdx.x == 0) {
        phases = 0;
        init(&met, blockDim.x, count_phases{&phases});
    }
    __syncthreads();
    int seen = 0;
    for (int i = 1; i <= 5; ++i) {
        met.arrive_and_wait();
        seen += phases == i;
        met.arrive_and_wait();
        if (threadIdx.x == 0) --phases;
        __syncthreads();
    }
    out[threadIdx.x] = seen;
}

/// The last to come drops out: the function is called, which here is a lambda.
__global__ void dropped(int* out) {
    const auto add = [out] { out[1] += 1; };
    using barrier = cuda::barrier<cuda::thread_scope_block, decltype(add)>;
    __shared__ alignas(barrier) unsigned char room[sizeof(barrier)];
    barrier& met = *reinterpret_cast<barrier*>(room);
    if (threadIdx.x == 0) {
        out[0] = out[1] = 0;
        init(&met, 2, add);
    }
    __syncthreads();
    if (threadIdx.x == 1) {
        met.wait(met.arrive());
        out[0] += 1;
        met.arrive_and_wait();  // alone
        out[0] += 1;
    }
    if (threadIdx.x == 0) met.arrive_and_drop();
}

/// Waits for a time, and for a phase of a parity.
__global__ void for_a_time(int* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> met;
    if (threadIdx.x == 0) init(&met, blockDim.x);
    __syncthreads();
    if (threadIdx.x == 0) *out = 0;
    auto token = met.arrive();
    while (!met.try_wait_for(std::move(token), cuda::std::chrono::nanoseconds(50))) {
    }
    if (threadIdx.x == 40) *out = 3;
    (void)met.arrive();
    met.wait_parity(true);
    if (threadIdx.x == 0) *out += 1;
}

/// Threads that wait for a value of an atomic variable.
__global__ void notified(cuda::atomic<int, cuda::thread_scope_device>* turn, int* out) {
    const int self = blockIdx.x * blockDim.x + threadIdx.x;
    if (self == 0) {
        turn->wait(0);
        *out = turn->load();
    } else if (self == 64) {
        turn->store(5);
        turn->notify_all();
    }
}

int main() {
    constexpr int tiles = 5;
    std::vector<int> in(64 * tiles), out(64);
    for (int i = 0; i < 64 * tiles; ++i) in[i] = i * i % 97;
    int *x, *y;
    cudaMalloc(&x, in.size() * sizeof(int));
    cudaMalloc(&y, 64 * sizeof(int));
    cudaMemcpy(x, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice);
    phases<<<1, 64>>>(y, 10);
    OK(cudaMemcpy(out.data(), y, 256, cudaMemcpyDeviceToHost));
    for (int t = 0; t < 64; ++t) MUST(out[t] == (t + 10) % 64 + 10);
    staged<<<1, 64>>>(x, y, tiles);
    OK(cudaMemcpy(out.data(), y, 256, cudaMemcpyDeviceToHost));
    for (int t = 0; t < 64; ++t) {
        int sum = 0;
        for (int tile = 0; tile < tiles; ++tile) sum += in[tile * 64 + 63 - t];
        MUST(out[t] == sum);
    }
    primitives<<<1, 64>>>(x, y);
    cudaMemcpy(out.data(), y, 256, cudaMemcpyDeviceToHost);
    for (int t = 0; t < 64; ++t) MUST(out[t] == in[63 - t]);
    completions<<<1, 64>>>(y);
    OK(cudaMemcpy(out.data(), y, 256, cudaMemcpyDeviceToHost));
    for (int t = 0; t < 64; ++t) MUST(out[t] == 5);
    dropped<<<1, 2>>>(y);
    OK(cudaMemcpy(out.data(), y, 8, cudaMemcpyDeviceToHost));
    MUST(out[0] == 2 && out[1] == 2);
    for_a_time<<<1, 64>>>(y);
    OK(cudaMemcpy(out.data(), y, 4, cudaMemcpyDeviceToHost));
    MUST(out[0] == 4);
    cuda::atomic<int, cuda::thread_scope_device>* turn;
    cudaMalloc(&turn, sizeof *turn);
    cudaMemset(turn, 0, sizeof *turn);
    notified<<<4, 32>>>(turn, y);
    OK(cudaMemcpy(out.data(), y, 4, cudaMemcpyDeviceToHost));
    MUST(out[0] == 5);
    cudaFree(x), cudaFree(y);
    return verdict();
}
