// right: decoupled look-back; a tile's flag and value travel in one aligned 64-bit
// volatile word, so no other data has to be ordered with it.
#include "checked_calls.h"

const int TILE = 128, TILES = 32;
const unsigned PARTIAL = 1, PREFIX = 2;

__device__ unsigned long long pack(unsigned flag, unsigned value) {
    return (unsigned long long)flag << 32 | value;
}

__global__ void scan(const unsigned *in, unsigned *out,
                     volatile unsigned long long *state, unsigned *ticket) {
    __shared__ unsigned s[TILE];
    __shared__ unsigned tile, before;
    int tid = threadIdx.x;
    if (tid == 0) tile = atomicAdd(ticket, 1u);
    __syncthreads();
    int i = tile * TILE + tid;
    s[tid] = in[i];
    __syncthreads();
    for (int d = 1; d < TILE; d *= 2) {
        unsigned v = tid >= d ? s[tid - d] : 0;
        __syncthreads();
        s[tid] += v;
        __syncthreads();
    }
    if (tid == 0) {
        unsigned all = s[TILE - 1], sum = 0;
        state[tile] = pack(tile == 0 ? PREFIX : PARTIAL, all);
        for (int t = (int)tile - 1; t >= 0; --t) {
            unsigned long long word;
            do {
                word = state[t];
            } while (word >> 32 == 0);
            sum += (unsigned)word;
            if (word >> 32 == PREFIX) break;
        }
        if (tile > 0) state[tile] = pack(PREFIX, sum + all);
        before = sum;
    }
    __syncthreads();
    out[i] = before + s[tid];
}

int main() {
    const int n = TILE * TILES;
    std::vector<unsigned> h(n), got(n);
    for (int i = 0; i < n; ++i) h[i] = i * 7 % 13;
    unsigned *in, *out, *ticket;
    unsigned long long *state;
    CHECK(cudaMalloc(&in, n * sizeof(unsigned)));
    CHECK(cudaMalloc(&out, n * sizeof(unsigned)));
    CHECK(cudaMalloc(&ticket, sizeof(unsigned)));
    CHECK(cudaMalloc(&state, TILES * sizeof(unsigned long long)));
    CHECK(cudaMemcpy(in, h.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(ticket, 0, sizeof(unsigned)));
    CHECK(cudaMemset(state, 0, TILES * sizeof(unsigned long long)));
    scan<<<TILES, TILE>>>(in, out, state, ticket);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), out, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    bool ok = true;
    unsigned sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += h[i];
        ok = ok && got[i] == sum;
    }
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(ticket));
    CHECK(cudaFree(state));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
