// Cooperative groups: the block, tiles of every size, static and dynamic, nested, and their votes.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

constexpr int fields = 12;

template <class Tile>
__device__ void describe(const Tile& tile, unsigned* o) {
    const unsigned rank = tile.thread_rank(), size = tile.size();
    const int mine = threadIdx.x * 3 + 1;
    o[0] = rank;
    o[1] = size;
    o[2] = tile.meta_group_rank();
    o[3] = tile.meta_group_size();
    o[4] = tile.shfl(mine, size / 2);
    o[5] = tile.shfl_up(mine, 1);
    o[6] = tile.shfl_down(mine, 2);
    o[7] = tile.shfl_xor(mine, size / 2);
    o[8] = tile.any(rank == size - 1 && threadIdx.x >= 64) != 0;
    o[9] = tile.all(threadIdx.x < 64) != 0;
    o[10] = tile.ballot(threadIdx.x % 3 == 0);
    o[11] = tile.match_any(threadIdx.x % 2);
    tile.sync();
}

template <int size>
__global__ void static_tile(unsigned* out) {
    const cg::thread_block block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<size>(block);
    describe(tile, out + block.thread_rank() * fields);
}

static void check_tile(unsigned* out, unsigned size, unsigned threads) {
    const std::vector<unsigned> got = taken(out, threads * fields);
    for (unsigned t = 0; t < threads; ++t) {
        const unsigned rank = t % size, first = t - rank;
        unsigned thirds = 0, same = 0;
        for (unsigned r = 0; r < size; ++r) {
            thirds |= unsigned((first + r) % 3 == 0) << r;
            same |= unsigned((first + r) % 2 == t % 2) << r;
        }
        const unsigned up = rank >= 1 ? t - 1 : t, down = rank + 2 < size ? t + 2 : t;
        const unsigned want[fields] = {rank,
                                       size,
                                       t / size,
                                       threads / size,
                                       (first + size / 2) * 3 + 1,
                                       up * 3 + 1,
                                       down * 3 + 1,
                                       (first + (size > 1 ? rank ^ size / 2 : 0)) * 3 + 1,
                                       first + size - 1 >= 64,
                                       first + size - 1 < 64,
                                       thirds,
                                       same};
        for (int f = 0; f < fields; ++f)
            expect("tile", (size * 1000 + t) * 100 + f, got[t * fields + f], want[f]);
    }
}

template <int size>
static void check_static() {
    unsigned* out = device<unsigned>(128 * fields);
    static_tile<size><<<1, 128>>>(out);
    check_tile(out, size, 128);
}

__global__ void groups(unsigned* out, int size) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_group tile = cg::tiled_partition(block, size);
    unsigned* o = out + block.thread_rank() * 8;
    __shared__ unsigned cells[128];
    cells[block.thread_rank()] = block.thread_rank() * 7;
    block.sync();
    o[0] = tile.thread_rank();
    o[1] = tile.size();
    unsigned sum = 0;
    const unsigned first = block.thread_rank() - tile.thread_rank();
    for (unsigned i = 0; i < tile.size(); ++i) sum += cells[first + i];
    tile.sync();
    o[2] = sum;
    cg::sync(block);
    if (tile.thread_rank() == 0) cells[block.thread_rank()] = first + 5;
    cg::sync(tile);
    o[3] = cells[first];
    // Tiles of tiles.
    const auto warp = cg::tiled_partition<32>(block);
    const auto eight = cg::tiled_partition<8>(warp);
    const auto two = cg::tiled_partition<2>(eight);
    o[4] = two.thread_rank() + 10 * two.meta_group_rank() + 100 * two.meta_group_size();
    o[5] = eight.meta_group_rank() + 10 * eight.meta_group_size();
    o[6] = two.shfl(block.thread_rank(), 0) * 1000 + eight.shfl(block.thread_rank(), 7);
    int value = warp.thread_rank();
    for (int i = eight.size() / 2; i > 0; i /= 2) value += eight.shfl_down(value, i);
    o[7] = eight.shfl(value, 0);
}

int main() {
    check_static<1>();
    check_static<2>();
    check_static<4>();
    check_static<8>();
    check_static<16>();
    check_static<32>();
    for (unsigned size : {1u, 2u, 4u, 8u, 16u, 32u}) {
        unsigned* out = device<unsigned>(128 * 8);
        groups<<<1, dim3(16, 4, 2)>>>(out, size);
        const std::vector<unsigned> got = taken(out, 128 * 8);
        for (unsigned t = 0; t < 128; ++t) {
            const unsigned first = t / size * size;
            unsigned sum = 0, eight = 0;
            for (unsigned i = 0; i < size; ++i) sum += (first + i) * 7;
            for (unsigned i = 0; i < 8; ++i) eight += t % 32 / 8 * 8 + i;
            const unsigned want[8] = {t % size,
                                      size,
                                      sum,
                                      first + 5,
                                      t % 2 + 10 * (t % 8 / 2) + 400,
                                      t % 32 / 8 + 40,
                                      (t / 2 * 2) * 1000 + t / 8 * 8 + 7,
                                      eight};
            for (int f = 0; f < 8; ++f)
                expect("groups", (size * 1000 + t) * 10 + f, got[t * 8 + f], want[f]);
        }
    }
    return verdict();
}
