// What CUB offers to single threads: guarded loads and stores, shuffles, caches' hints, reductions.
#include <cub/cub.cuh>

#include "check.h"

constexpr int threads = 64, items = 2, n = threads * items, valid = 101;

struct plus {
    __host__ __device__ int operator()(int a, int b) const { return a + b; }
};

__global__ void move(int* in, int* out) {
    const int self = threadIdx.x;
    int own[items] = {-1, -1};
    cub::LoadDirectBlocked(self, in, own, valid);
    cub::StoreDirectStriped<threads>(self, out, own);
    cub::LoadDirectBlocked(self, in, own, valid, -7);
    cub::StoreDirectBlocked(self, out + n, own);
    cub::LoadDirectStriped<threads>(self, in, own, valid, -7);
    cub::StoreDirectStriped<threads>(self, out + 2 * n, own);
    cub::LoadDirectWarpStriped(self, in, own, valid, -7);
    cub::StoreDirectWarpStriped(self, out + 3 * n, own);
    cub::LoadDirectBlocked(self, in, own);
    cub::StoreDirectBlocked(self, out + 4 * n, own, valid);
    cub::StoreDirectStriped<threads>(self, out + 5 * n, own, valid);
    cub::LoadDirectBlockedVectorized(self, in, own);
    cub::ThreadStore<cub::STORE_CS>(out + 6 * n + self, cub::ThreadReduce(own, plus()));
    cub::CacheModifiedInputIterator<cub::LOAD_LDG, int> hinted = in;
    out[6 * n + threads + self] = hinted[self] + *(hinted + 2 - 1);
}

struct pair {
    double a;
    int b;
};
__global__ void shuffle(pair* out) {
    const int self = threadIdx.x;
    const pair own{0.5 * self, self};
    out[self] = cub::ShuffleDown<32>(own, 3, 31, 0xffffffff);
    out[64 + self] = cub::ShuffleUp<8>(own, 2, 0, 0xffffffff);
    out[128 + self] = cub::ShuffleIndex<32>(own, 5, 0xffffffff);
}

int main() {
    int *in = managed<int>(n), *out = managed<int>(7 * n);
    for (int i = 0; i < n; ++i) in[i] = 3 * i + 1;
    for (int i = 0; i < 7 * n; ++i) out[i] = -9;
    move<<<1, threads>>>(in, out);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) {
        const int from =
            i % threads * items + i / threads;  // what stands there after the first store
        MUST(out[i] == (from < valid ? in[from] : -1));
        const int guarded = i < valid ? in[i] : -7;
        MUST(out[n + i] == guarded && out[2 * n + i] == guarded && out[3 * n + i] == guarded);
        MUST(out[4 * n + i] == (i < valid ? in[i] : -9));
        MUST(out[5 * n + i] == (i < valid ? in[from] : -9));
    }
    for (int i = 0; i < threads; ++i) {
        MUST(out[6 * n + i] == in[2 * i] + in[2 * i + 1]);
        MUST(out[6 * n + threads + i] == in[i] + in[1]);
    }
    pair* pairs = managed<pair>(192);
    shuffle<<<1, 64>>>(pairs);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 64; ++i) {
        const int down = i % 32 + 3 > 31 ? i : i + 3, up = i % 8 < 2 ? i : i - 2;
        MUST(pairs[i].b == down && pairs[i].a == 0.5 * down && pairs[64 + i].b == up);
        MUST(pairs[128 + i].b == i / 32 * 32 + 5);
    }
    const cub::KeyValuePair<int, float> made(3, 2.5f);
    MUST(made.key == 3 && made.value == 2.5f);
    return verdict();
}
