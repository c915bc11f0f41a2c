// Coalesced groups in divergent code, labeled and binary partitions: what holds however lanes meet.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

// The Programming Guide's aggregated increment: right whether lanes come together or alone.
__device__ int aggregated(int* counter) {
    const cg::coalesced_group active = cg::coalesced_threads();
    int first = 0;
    if (active.thread_rank() == 0) first = atomicAdd(counter, int(active.size()));
    first = active.shfl(first, 0);
    return first + active.thread_rank();
}
__global__ void keep_odd(const int* values, int n, int* kept, int* count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && values[i] % 2 == 1) kept[aggregated(count)] = values[i];
}

__global__ void coalesced(unsigned* out) {
    const unsigned lane = threadIdx.x;
    unsigned* o = out + lane * 6;
    const cg::coalesced_group all = cg::coalesced_threads();
    o[0] = all.thread_rank() < all.size() && all.size() <= 32;
    if (lane % 4 == 2) {
        const cg::coalesced_group some = cg::coalesced_threads();
        o[1] = some.size() >= 1 && some.size() <= 8 && some.thread_rank() < some.size();
        const unsigned highest = some.shfl(lane, some.size() - 1);
        o[2] = highest >= lane && highest % 4 == 2;
        o[3] = some.ballot(1) == (some.size() == 32 ? ~0u : (1u << some.size()) - 1);
        o[4] = some.all(lane % 4 == 2) && !some.any(lane % 4 != 2);
        o[5] = some.shfl(lane, some.thread_rank()) == lane;
        some.sync();
    }
}

// Partitions of a whole tile are certain: lanes in the order of their ranks.
__global__ void partitions(unsigned* out) {
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const unsigned rank = warp.thread_rank();
    unsigned* o = out + threadIdx.x * 6;
    const cg::coalesced_group label = cg::labeled_partition(warp, int(rank % 3));
    o[0] = label.thread_rank();
    o[1] = label.size();
    o[2] = label.shfl(rank, 1);
    const cg::coalesced_group half = cg::binary_partition(warp, rank >= 20);
    o[3] = half.thread_rank();
    o[4] = half.size();
    o[5] = half.shfl_down(rank, 1);
    half.sync();
}

int main() {
    const int n = 777;
    std::vector<int> values(n);
    std::vector<int> wanted(1000);
    int odd = 0;
    for (int i = 0; i < n; ++i) {
        values[i] = (i * 7919) % 1000;
        if (values[i] % 2 == 1) ++odd, ++wanted[values[i]];
    }
    int *in = device<int>(n), *kept = device<int>(n), *count = device<int>(1);
    OK(cudaMemcpy(in, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    OK(cudaMemset(count, 0, sizeof(int)));
    keep_odd<<<7, 128>>>(in, n, kept, count);
    expect("count of odd", 0, taken(count, 1)[0], odd);
    const std::vector<int> found = taken(kept, n);
    OK(cudaFree(in));
    for (int i = 0; i < n; ++i) {
        if (i >= odd) expect("left alone", i, found[i], -1);
        if (i < odd && found[i] >= 0 && found[i] < 1000) --wanted[found[i]];
    }
    for (int v = 0; v < 1000; ++v) expect("kept as often as there", v, wanted[v], 0);

    unsigned* out = device<unsigned>(32 * 6);
    coalesced<<<1, 32>>>(out);
    std::vector<unsigned> got = taken(out, 32 * 6);
    for (int i = 0; i < 32 * 6; ++i)
        expect("coalesced", i, got[i], i % 6 == 0 || i / 6 % 4 == 2 ? 1 : ~0u);

    out = device<unsigned>(64 * 6);
    partitions<<<1, 64>>>(out);
    got = taken(out, 64 * 6);
    for (unsigned t = 0; t < 64; ++t) {
        const unsigned lane = t % 32;
        const bool high = lane >= 20;
        const unsigned want[6] = {lane / 3,         lane % 3 == 2 ? 10u : 11u,
                                  lane % 3 + 3,     high ? lane - 20 : lane,
                                  high ? 12u : 20u, lane == 19 || lane == 31 ? lane : lane + 1};
        for (int f = 0; f < 6; ++f) expect("partitions", t * 10 + f, got[t * 6 + f], want[f]);
    }
    return verdict();
}
