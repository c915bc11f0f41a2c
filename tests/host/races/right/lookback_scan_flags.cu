// right: decoupled look-back with sums and flags apart; each sum is stored, then
// __threadfence, then the volatile flag; readers fence between flag and sum.
#include "checked_calls.h"

const int TILE = 64, TILES = 40;

__global__ void scan(const int *in, int *out, int *aggregate, int *prefix,
                     volatile int *flag, int *ticket) {
    __shared__ int s[TILE];
    __shared__ int tile, before;
    int tid = threadIdx.x;
    if (tid == 0) tile = atomicAdd(ticket, 1);
    __syncthreads();
    int i = tile * TILE + tid;
    s[tid] = in[i];
    __syncthreads();
    for (int d = 1; d < TILE; d *= 2) {
        int v = tid >= d ? s[tid - d] : 0;
        __syncthreads();
        s[tid] += v;
        __syncthreads();
    }
    if (tid < 32) {  // the first warp looks back, 32 tiles at a time
        int all = s[TILE - 1], sum = 0;
        if (tid == 0) {
            aggregate[tile] = all;
            __threadfence();
            flag[tile] = 1;
        }
        for (int end = tile - 1;; end -= 32) {
            int t = end - tid, f = 2, v = 0;
            if (t >= 0) {
                do {
                    f = flag[t];
                } while (f == 0);
                __threadfence();
                v = f == 2 ? prefix[t] : aggregate[t];
            }
            unsigned full = __ballot_sync(0xffffffffu, f == 2);
            int nearest = full ? __ffs(full) - 1 : 31;
            if (tid > nearest) v = 0;
            for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
            sum += __shfl_sync(0xffffffffu, v, 0);
            if (full) break;
        }
        if (tid == 0) {
            prefix[tile] = sum + all;
            __threadfence();
            flag[tile] = 2;
            before = sum;
        }
    }
    __syncthreads();
    out[i] = before + s[tid];
}

int main() {
    const int n = TILE * TILES;
    std::vector<int> h(n), got(n);
    for (int i = 0; i < n; ++i) h[i] = i * 5 % 11 - 3;
    int *in, *out, *work;
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&out, n * sizeof(int)));
    CHECK(cudaMalloc(&work, (3 * TILES + 1) * sizeof(int)));
    CHECK(cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(work, 0, (3 * TILES + 1) * sizeof(int)));
    scan<<<TILES, TILE>>>(in, out, work, work + TILES, work + 2 * TILES, work + 3 * TILES);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0, sum = 0; i < n; ++i) {
        sum += h[i];
        ok = ok && got[i] == sum;
    }
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(work));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
