// right: persistent blocks take tickets with atomicAdd; an item is written, then
// fenced, then its volatile ready flag is set; the taker waits, fences and reads.
#include "checked_calls.h"

const int N = 2048, LEAF = 64, TOTAL = 2 * (N / LEAF) - 1;

struct Range {
    int lo, hi;
};

__global__ void split(Range *queue, volatile int *ready, unsigned *head, unsigned *tail,
                      const int *in, int *out) {
    __shared__ unsigned slot;
    __shared__ Range r;
    for (;;) {
        if (threadIdx.x == 0) {
            slot = atomicAdd(head, 1u);
            if (slot < TOTAL) {
                while (ready[slot] == 0) {
                }
                __threadfence();
                r = queue[slot];
            }
        }
        __syncthreads();
        if (slot >= TOTAL) return;
        if (r.hi - r.lo > LEAF) {
            if (threadIdx.x == 0) {
                int mid = (r.lo + r.hi) / 2;
                unsigned t = atomicAdd(tail, 2u);
                queue[t] = Range{r.lo, mid};
                queue[t + 1] = Range{mid, r.hi};
                __threadfence();
                ready[t] = 1;
                ready[t + 1] = 1;
            }
        } else {
            for (int i = r.lo + threadIdx.x; i < r.hi; i += blockDim.x)
                out[i] = in[i] * 3 + 1;
        }
        __syncthreads();
    }
}

int main() {
    std::vector<int> h(N), got(N);
    for (int i = 0; i < N; ++i) h[i] = i ^ 85;
    Range *queue, root = {0, N};
    int *ready, *in, *out, one = 1;
    unsigned *ends, start[2] = {0, 1};
    CHECK(cudaMalloc(&queue, TOTAL * sizeof(Range)));
    CHECK(cudaMalloc(&ready, TOTAL * sizeof(int)));
    CHECK(cudaMalloc(&in, N * sizeof(int)));
    CHECK(cudaMalloc(&out, N * sizeof(int)));
    CHECK(cudaMalloc(&ends, sizeof start));
    CHECK(cudaMemset(ready, 0, TOTAL * sizeof(int)));
    CHECK(cudaMemcpy(ready, &one, sizeof one, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(queue, &root, sizeof root, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(ends, start, sizeof start, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(in, h.data(), N * sizeof(int), cudaMemcpyHostToDevice));
    split<<<6, 32>>>(queue, ready, ends, ends + 1, in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), out, N * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < N; ++i) ok = ok && got[i] == h[i] * 3 + 1;
    CHECK(cudaFree(queue));
    CHECK(cudaFree(ready));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(ends));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
