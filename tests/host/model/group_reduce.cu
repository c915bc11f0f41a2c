// cg::reduce over tiles and coalesced groups, with every operator and type.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "check.h"

namespace cg = cooperative_groups;

__host__ __device__ int number(int t) { return (t * 37 + 11) % 101 - 50; }
constexpr int kinds = 9;

template <int size>
__global__ void reduce(int* out, double* wide) {
    const cg::thread_block block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<size>(block);
    const int t = threadIdx.x, v = number(t);
    int* o = out + t * kinds;
    o[0] = cg::reduce(tile, v, cg::plus<int>());
    o[1] = cg::reduce(tile, v, cg::less<int>());
    o[2] = cg::reduce(tile, v, cg::greater<int>());
    o[3] = cg::reduce(tile, v, cg::bit_and<int>());
    o[4] = cg::reduce(tile, v, cg::bit_or<int>());
    o[5] = cg::reduce(tile, v, cg::bit_xor<int>());
    o[6] = cg::reduce(tile, v, [](int a, int b) { return a > b ? a : b; });
    o[7] = cg::reduce(tile, unsigned(t), cg::plus<unsigned>());
    o[8] = cg::reduce(tile, static_cast<long long>(t) << 33, cg::greater<long long>()) >> 33;
    wide[t] = cg::reduce(tile, v * 0.25, cg::plus<double>()) +
              cg::reduce(tile, v * 0.5f, cg::less<float>());
}

template <int size>
static void check() {
    const int threads = 96;
    int* out = device<int>(threads * kinds);
    double* wide = device<double>(threads);
    reduce<size><<<1, threads>>>(out, wide);
    const std::vector<int> got = taken(out, threads * kinds);
    const std::vector<double> doubles = taken(wide, threads);
    for (int t = 0; t < threads; ++t) {
        const int first = t / size * size;
        int want[kinds] = {0, 1000, -1000, -1, 0, 0, -1000, 0, first + size - 1};
        for (int i = first; i < first + size; ++i) {
            const int v = number(i);
            want[0] += v;
            want[1] = v < want[1] ? v : want[1];
            want[2] = want[6] = v > want[2] ? v : want[2];
            want[3] &= v, want[4] |= v, want[5] ^= v, want[7] += i;
        }
        for (int k = 0; k < kinds; ++k)
            expect("reduce", (size * 1000 + t) * 10 + k, got[t * kinds + k], want[k]);
        expect("reduce of doubles", t, doubles[t], want[0] * 0.25 + want[1] * 0.5);
    }
}

// A sum of a block in two steps, as the samples have it.
__global__ void block_sum(const int* values, int n, int* sum) {
    const cg::thread_block block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    __shared__ int partial[32];
    int mine = 0;
    for (int i = block.thread_rank(); i < n; i += block.size()) mine += values[i];
    const int total = cg::reduce(warp, mine, cg::plus<int>());
    if (warp.thread_rank() == 0) partial[warp.meta_group_rank()] = total;
    cg::sync(block);
    if (warp.meta_group_rank() == 0) {
        const int part =
            warp.thread_rank() < warp.meta_group_size() ? partial[warp.thread_rank()] : 0;
        const int all = cg::reduce(warp, part, cg::plus<int>());
        if (warp.thread_rank() == 0) *sum = all;
    }
}

__global__ void of_coalesced(int* out) {
    const int lane = threadIdx.x;
    out[lane] = -1;
    if (lane % 3 == 1) {
        const cg::coalesced_group group = cg::coalesced_threads();
        // However the hardware groups them, the groups' sums add up to that of all.
        const int sum = cg::reduce(group, lane, cg::plus<int>());
        out[lane] = group.thread_rank() == 0 ? sum : 0;
    }
}

int main() {
    check<1>();
    check<2>();
    check<4>();
    check<8>();
    check<16>();
    check<32>();
    const int n = 1000;
    std::vector<int> values(n);
    int want = 0;
    for (int i = 0; i < n; ++i) want += values[i] = number(i);
    int *in = device<int>(n), *sum = device<int>(1);
    OK(cudaMemcpy(in, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    block_sum<<<1, 256>>>(in, n, sum);
    expect("sum of a block", 0, taken(sum, 1)[0], want);
    OK(cudaFree(in));

    int* out = device<int>(32);
    of_coalesced<<<1, 32>>>(out);
    const std::vector<int> got = taken(out, 32);
    int total = 0;
    for (int lane = 0; lane < 32; ++lane) {
        if (lane % 3 != 1) expect("outside", lane, got[lane], -1);
        if (lane % 3 == 1) total += got[lane];
    }
    expect("coalesced", 0, total, 1 + 4 + 7 + 10 + 13 + 16 + 19 + 22 + 25 + 28 + 31);
    return verdict();
}
