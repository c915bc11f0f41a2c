// splits: methods functions long_name nameless imported mixed
// keeps: ranked: cg in line 62
// Barriers of cooperative groups that are whole blocks. Each thread reads what its neighbour wrote
// before the barrier; expected values are computed by hand.
#include <cooperative_groups.h>

#include <cstdio>

namespace cg = cooperative_groups;

__global__ void methods(int* out) {
    __shared__ int s[96];
    const cg::thread_block block = cg::this_thread_block();
    int t = threadIdx.x;
    s[t] = 10 * t;
    block.sync();
    out[t] = s[(t + 1) % 96];
}

__global__ void functions(int* out) {
    __shared__ int s[96];
    cg::thread_block cta = cg::this_thread_block();
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < 3; i++) {
        s[t] = 10 * t + i;
        cg::sync(cta);
        if (t % 2 == 0) sum += s[(t + 1) % 96]; else sum -= s[t - 1];
        cg::sync(cta);
    }
    out[t] = sum;
}

__global__ void long_name(int* out) {
    __shared__ int s[96];
    auto group = cooperative_groups::this_thread_block();
    s[threadIdx.x] = 10 * threadIdx.x;
    cooperative_groups::sync(group);
    out[threadIdx.x] = s[(threadIdx.x + 1) % 96];
}

__global__ void nameless(int* out) {
    __shared__ int s[96];
    s[threadIdx.x] = 10 * threadIdx.x;
    cg::this_thread_block().sync();
    int next = s[(threadIdx.x + 1) % 96];
    cg::sync(cg::this_thread_block());
    out[threadIdx.x] = next;
}

__global__ void mixed(int* out) {
    __shared__ int s[96];
    auto block = cg::this_thread_block();
    s[threadIdx.x] = 10 * threadIdx.x;
    __syncthreads();
    int next = s[(threadIdx.x + 1) % 96];
    block.sync();
    out[threadIdx.x] = next;
}

__global__ void ranked(int* out) {
    __shared__ int s[96];
    auto block = cg::this_thread_block();
    s[block.thread_rank()] = 10 * block.thread_rank();
    __syncthreads();
    block.sync();
    out[threadIdx.x] = s[(threadIdx.x + 1) % 96];
}

__device__ void wait_for(const cg::thread_block& block) { block.sync(); }
__global__ void handed_on(int* out) {
    __shared__ int s[96];
    auto block = cg::this_thread_block();
    s[threadIdx.x] = 10 * threadIdx.x;
    wait_for(block);
    out[threadIdx.x] = s[(threadIdx.x + 1) % 96];
}
__global__ void shadowed(int* out) {
    __shared__ int s[96];
    auto block = cg::this_thread_block();
    s[threadIdx.x] = 10 * threadIdx.x;
    block.sync();
    for (int block = 0; block < 2; block++) out[threadIdx.x] = block;
    block.sync();
    out[threadIdx.x] = s[(threadIdx.x + 1) % 96];
}

__global__ void tiled(int* out) {
    __shared__ int s[96];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    s[threadIdx.x] = tile.thread_rank() >= 32 ? 0 : 10 * threadIdx.x;
    block.sync();
    out[threadIdx.x] = s[(threadIdx.x + 1) % 96];
}

namespace other {
using namespace cooperative_groups;
__global__ void imported(int* out) {
    __shared__ int s[96];
    thread_block block = this_thread_block();
    s[threadIdx.x] = 10 * threadIdx.x;
    sync(block);
    out[threadIdx.x] = s[(threadIdx.x + 1) % 96];
}
}  // namespace other

int main() {
    int *out = nullptr, host[96], failures = 0;
    cudaMalloc(&out, sizeof host);
    for (auto kernel : {methods, functions, long_name, nameless, mixed, ranked, handed_on, shadowed, tiled,
                        other::imported}) {
        kernel<<<1, 96>>>(out);
        cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
        for (int t = 0; t < 96; t++) {
            int wanted = 10 * ((t + 1) % 96);
            if (kernel == functions) wanted = t % 2 == 0 ? 3 * 10 * (t + 1) + 3 : -(3 * 10 * (t - 1) + 3);
            if (host[t] != wanted) {
                std::printf("thread %d: %d, not %d\n", t, host[t], wanted);
                failures++;
            }
        }
    }
    return failures != 0 || cudaDeviceSynchronize() != cudaSuccess;
}
