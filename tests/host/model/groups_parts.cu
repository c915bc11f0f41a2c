// Cooperative groups: tiles of several warps and their parts, partitions of coalesced groups, one
// thread for all of a group, and scans whose operator is not commutative.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "check.h"

namespace cg = cooperative_groups;
using u64 = unsigned long long;

// --- Tiles and partitions ------------------------------------------------------------------------

/// x -> a x + b, whose composition depends on the order.
struct affine {
    unsigned a, b;
};
__host__ __device__ affine of_thread(unsigned t) { return {2 * t + 3, t * t + 1}; }
__host__ __device__ affine composed(affine f, affine g) { return {f.a * g.a, g.a * f.b + g.b}; }
struct compose {
    __device__ affine operator()(affine f, affine g) const { return composed(f, g); }
};

constexpr int tile_fields = 18;
template <unsigned size>
__global__ void tiles(u64* out) {
    __shared__ cg::block_tile_memory<512> memory;
    const cg::thread_block block = cg::this_thread_block(memory);
    const auto tile = cg::tiled_partition<size>(block);
    const auto part = cg::tiled_partition<size / 2>(tile);
    const auto small = cg::tiled_partition<8>(part);
    const unsigned t = block.thread_rank();
    const affine all = cg::inclusive_scan(tile, of_thread(t), compose());
    const affine below = cg::exclusive_scan(part, of_thread(t), compose());
    const auto most = [](unsigned a, unsigned b) { return a > b ? a : b; };
    const cg::greater<unsigned> greater;
    u64 d[tile_fields] = {tile.thread_rank(),
                          tile.meta_group_rank(),
                          tile.meta_group_size(),
                          part.meta_group_rank(),
                          part.meta_group_size(),
                          small.meta_group_rank(),
                          small.meta_group_size(),
                          tile.shfl(u64(t) << 32, static_cast<int>(size - 3)) >> 32,
                          u64(tile.any(t == 300)),
                          u64(tile.all(t != 300)),
                          u64(part.any(t == 300)),
                          all.a,
                          all.b,
                          below.a,
                          below.b,
                          cg::reduce(tile, t * 7919U % 1000, most),
                          cg::reduce(part, t * 7919U % 1000, greater),
                          u64(-2 * cg::reduce(tile, -0.5 * t, cg::less<double>()))};
    tile.sync();
    for (int f = 0; f < tile_fields; ++f) out[t * tile_fields + f] = d[f];
}
template <unsigned size>
static void check_tiles() {
    constexpr unsigned threads = 512;
    u64* out = managed<u64>(threads * tile_fields, 0);
    tiles<size><<<1, threads>>>(out);
    OK(cudaDeviceSynchronize());
    for (unsigned t = 0; t < threads; ++t) {
        const unsigned first = t / size * size, half = t / (size / 2) * (size / 2);
        affine all = of_thread(first), below = of_thread(half);
        // CUDA's scans give the operator what comes later first.
        for (unsigned i = first + 1; i <= t; ++i) all = composed(of_thread(i), all);
        for (unsigned i = half + 1; i < t; ++i) below = composed(of_thread(i), below);
        // What the first thread gets is left open.
        if (t == half)
            below = {unsigned(out[t * tile_fields + 13]), unsigned(out[t * tile_fields + 14])};
        unsigned most = 0, of_half = 0;
        for (unsigned i = 0; i < size; ++i)
            most = (first + i) * 7919 % 1000 > most ? (first + i) * 7919 % 1000 : most;
        for (unsigned i = 0; i < size / 2; ++i)
            of_half = (half + i) * 7919 % 1000 > of_half ? (half + i) * 7919 % 1000 : of_half;
        const u64 want[tile_fields] = {t % size,
                                       t / size,
                                       threads / size,
                                       t % size / (size / 2),
                                       2,
                                       t % (size / 2) / 8,
                                       size / 16,
                                       first + size - 3,
                                       first == 300 / size * size,
                                       first != 300 / size * size,
                                       half == 300 / (size / 2) * (size / 2),
                                       all.a,
                                       all.b,
                                       below.a,
                                       below.b,
                                       most,
                                       of_half,
                                       first + size - 1};
        for (int f = 0; f < tile_fields; ++f)
            expect("tile", static_cast<int>(size * 1000 + t), f, out[t * tile_fields + f], want[f]);
    }
    OK(cudaFree(out));
}

constexpr int part_fields = 17;
/// Parts of parts of a warp: lanes that are no multiple of 3, from 4 on, by a label of their
/// parity.
__global__ void parts(int* labels, u64* out) {
    __shared__ int cells[32];
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const unsigned lane = warp.thread_rank();
    const cg::coalesced_group third = cg::binary_partition(warp, lane % 3 != 0);
    const cg::coalesced_group later = cg::binary_partition(third, lane >= 4);
    const cg::coalesced_group group = cg::labeled_partition(later, labels + lane % 2);
    const cg::coalesced_group fours = cg::tiled_partition(group, 4);
    const cg::thread_group any = fours;
    // The sum of one part and the product of the other.
    const affine all = cg::reduce(group, of_thread(lane), [](affine x, affine y) {
        return affine{x.a * y.a, x.b + y.b};
    });
    const affine below = cg::inclusive_scan(group, of_thread(lane), compose());
    const double half = lane * 0.5;
    cells[lane] = 0;
    any.sync();
    cg::invoke_one(
        fours, [&](int value) { cells[lane] = value; }, 77);
    any.sync();
    unsigned found = 0;
    for (unsigned r = 0; r < fours.size(); ++r)
        found += cells[fours.shfl(lane, static_cast<int>(r))] == 77;
    u64 d[part_fields] = {group.num_threads() * 100 + group.thread_rank(),
                          group.meta_group_rank() * 100 + group.meta_group_size(),
                          later.meta_group_rank() * 100 + later.meta_group_size(),
                          fours.num_threads() * 1000 + fours.thread_rank() * 100 +
                              fours.meta_group_rank() * 10 + fours.meta_group_size(),
                          any.size() * 1000 + any.thread_rank() * 100 + any.get_type(),
                          all.a,
                          all.b,
                          below.a,
                          below.b,
                          u64(group.shfl_down(half, 2) * 2),
                          u64(group.shfl_up(half, 1) * 2),
                          u64(group.shfl(-half, 0) * -2),
                          group.match_any(u64(lane / 8) << 40),
                          cg::reduce(fours, lane, cg::bit_or<unsigned>()),
                          cg::inclusive_scan(fours, u64(lane) << 33) >> 33,
                          found,
                          u64(cg::invoke_one_broadcast(
                              group, [](unsigned l, int by) { return l * 10 + by; }, lane, 5))};
    for (int f = 0; f < part_fields; ++f) out[lane * part_fields + f] = d[f];
}
static void check_parts() {
    u64* out = managed<u64>(32 * part_fields, 0);
    int* labels = managed<int>(2, 0);
    parts<<<1, 32>>>(labels, out);
    OK(cudaDeviceSynchronize());
    for (unsigned lane = 0; lane < 32; ++lane) {
        const u64* got = out + lane * part_fields;
        std::vector<unsigned> members;
        unsigned rank = 0;
        const auto is_later = [](unsigned l) { return l >= 4; };
        for (unsigned l = 0; l < 32; ++l)
            if ((l % 3 != 0) == (lane % 3 != 0) && is_later(l) == is_later(lane) &&
                l % 2 == lane % 2) {
                if (l == lane) rank = static_cast<unsigned>(members.size());
                members.push_back(l);
            }
        const unsigned size = static_cast<unsigned>(members.size()),
                       in_four = size - rank / 4 * 4 < 4 ? size - rank / 4 * 4 : 4;
        affine all = {1, 0}, scanned = of_thread(members[0]);
        unsigned same = 0, bits = 0;
        u64 sum = 0;
        for (unsigned r = 0; r < size; ++r) {
            const affine one = of_thread(members[r]);
            all = {all.a * one.a, all.b + one.b};
            if (r > 0 && r <= rank) scanned = composed(one, scanned);
            same |= unsigned(members[r] / 8 == lane / 8) << r;
            if (r / 4 == rank / 4) bits |= members[r];
            if (r / 4 == rank / 4 && r <= rank) sum += members[r];
        }
        // Labels are ranked by their first lane: of lanes 0 and 3, 1 and 2, 4 and 5, 6 and 9.
        unsigned first_of_all = 0;
        while ((first_of_all % 3 != 0) != (lane % 3 != 0) ||
               is_later(first_of_all) != is_later(lane))
            ++first_of_all;
        const unsigned label_rank = first_of_all % 2 == lane % 2 ? 0 : 1;
        const u64 want[part_fields] = {
            size * 100 + rank,
            label_rank * 100 + 2,
            u64(lane >= 4 ? 1 : 0) * 100 + 2,
            size <= 4 ? size * 1000 + rank * 100 + label_rank * 10 + 2
                      : in_four * 1000 + rank % 4 * 100 + rank / 4 * 10 + (size + 3) / 4,
            in_four * 1000 + rank % 4 * 100 + 1,
            all.a,
            all.b,
            scanned.a,
            scanned.b,
            rank + 2 < size ? members[rank + 2] : lane,
            rank > 0 ? members[rank - 1] : lane,
            members[0],
            same,
            bits,
            sum,
            1,
            got[16]};
        for (int f = 0; f < part_fields; ++f)
            expect("part", static_cast<int>(lane), f, got[f], want[f]);
        // Which thread calls is left open; all get the result of one of them.
        bool is_member = false;
        for (const unsigned l : members) is_member |= got[16] == l * 10 + 5;
        expect("one for a part", static_cast<int>(lane), 0,
               is_member && got[16] == out[members[0] * part_fields + 16], 1);
    }
    OK(cudaFree(out)), OK(cudaFree(labels));
}

int main() {
    check_tiles<64>(), check_tiles<128>(), check_tiles<256>();
    check_parts();
    return verdict();
}
