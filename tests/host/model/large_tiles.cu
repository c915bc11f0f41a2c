// Tiles of several warps: synchronisation, shuffles, votes, reductions and scans.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cstdio>

#include "check.h"

namespace cg = cooperative_groups;

template <unsigned Size>
__global__ void work(int* out) {
    __shared__ cg::block_tile_memory<512> room;
    __shared__ int values[512];
    auto block = cg::this_thread_block(room);
    auto tile = cg::tiled_partition<Size>(block);
    const int t = block.thread_rank(), rank = tile.thread_rank();
    int ok = rank == t % int(Size) && tile.meta_group_rank() == t / Size &&
             tile.meta_group_size() == 512 / Size && tile.size() == Size;
    values[t] = t;
    tile.sync();
    const int base = t / Size * Size;
    ok &= values[base + (rank + 1) % Size] == base + (rank + 1) % int(Size);
    // Only some tiles go round again.
    for (int i = 0; i < int(tile.meta_group_rank()); ++i) {
        const int next = values[base + (rank + 1) % Size];
        tile.sync();
        values[t] = next;
        tile.sync();
        ok &= values[t] == base + (rank + i + 1) % int(Size);
    }
    ok &= cg::reduce(tile, t, cg::plus<int>()) == int(Size) * base + int(Size * (Size - 1) / 2);
    ok &= cg::reduce(tile, t, cg::greater<int>()) == base + int(Size) - 1;
    ok &= cg::inclusive_scan(tile, 1) == rank + 1;
    ok &= cg::exclusive_scan(tile, rank, cg::plus<int>()) == rank * (rank - 1) / 2;
    ok &= tile.shfl(t, 3) == base + 3;
    ok &= tile.shfl_xor(t, Size / 2) == base + (rank ^ int(Size / 2));
    ok &= tile.shfl_down(t, 40) == (rank + 40 < int(Size) ? t + 40 : t);
    ok &= tile.any(rank == 0) && !tile.all(rank != int(Size) - 1) && tile.all(1);
    out[t] = ok;
}

template <unsigned Size>
static void check(int* out) {
    for (int i = 0; i < 512; ++i) out[i] = 0;
    work<Size><<<1, 512>>>(out);
    wait_for_device();
    for (int i = 0; i < 512; ++i)
        if (fails(out[i] == 1)) std::printf("size %u, thread %d\n", Size, i);
}

int main() {
    int* out = managed<int>(512);
    check<64>(out);
    check<128>(out);
    check<256>(out);
    check<512>(out);
    return verdict();
}
