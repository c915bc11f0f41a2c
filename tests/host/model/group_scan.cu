// cg::inclusive_scan and exclusive_scan over tiles, with and without an operator.
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>

#include "check.h"

namespace cg = cooperative_groups;

__host__ __device__ int number(int t) { return (t * 53 + 7) % 61 - 20; }
constexpr int kinds = 7;

template <int size>
__global__ void scan(int* out) {
    const auto tile = cg::tiled_partition<size>(cg::this_thread_block());
    const int t = threadIdx.x, v = number(t);
    int* o = out + t * kinds;
    o[0] = cg::inclusive_scan(tile, v);
    o[1] = cg::exclusive_scan(tile, v);
    o[2] = cg::inclusive_scan(tile, v, cg::plus<int>());
    o[3] = cg::inclusive_scan(tile, v, cg::greater<int>());
    o[4] = cg::exclusive_scan(tile, v, cg::plus<int>());
    o[5] = cg::inclusive_scan(tile, v, cg::less<int>());
    o[6] = cg::inclusive_scan(tile, 1u, cg::plus<unsigned>());
}

template <int size>
static void check() {
    const int threads = 64;
    int* out = device<int>(threads * kinds);
    scan<size><<<1, threads>>>(out);
    const std::vector<int> got = taken(out, threads * kinds);
    int sum = 0, most = 0, least = 0;
    for (int t = 0; t < threads; ++t) {
        const int v = number(t);
        if (t % size == 0) sum = 0, most = v, least = v;
        const int before = sum;
        sum += v, most = v > most ? v : most, least = v < least ? v : least;
        const int want[kinds] = {sum, before, sum, most, before, least, t % size + 1};
        for (int k = 0; k < kinds; ++k)
            expect("scan", (size * 1000 + t) * 10 + k, got[t * kinds + k], want[k]);
    }
}

// Stream compaction: where each goes is the scan of who stays.
__global__ void compact(const int* values, int* kept, int* counts) {
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int base = blockIdx.x * blockDim.x + warp.meta_group_rank() * 32;
    const int value = values[base + warp.thread_rank()];
    const int stays = value > 0;
    const int place = cg::exclusive_scan(warp, stays);
    if (stays) kept[base + place] = value;
    if (warp.thread_rank() == 31) counts[base / 32] = place + stays;
}

int main() {
    check<1>();
    check<2>();
    check<4>();
    check<8>();
    check<16>();
    check<32>();
    const int n = 512;
    std::vector<int> values(n);
    for (int i = 0; i < n; ++i) values[i] = number(i);
    int *in = device<int>(n), *kept = device<int>(n), *counts = device<int>(n / 32);
    OK(cudaMemcpy(in, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    compact<<<4, 128>>>(in, kept, counts);
    const std::vector<int> got = taken(kept, n), count = taken(counts, n / 32);
    OK(cudaFree(in));
    for (int w = 0; w < n / 32; ++w) {
        int place = 0;
        for (int i = w * 32; i < w * 32 + 32; ++i)
            if (values[i] > 0) expect("kept", i, got[w * 32 + place++], values[i]);
        expect("count", w, count[w], place);
        for (; place < 32; ++place) expect("left alone", w, got[w * 32 + place], -1);
    }
    return verdict();
}
