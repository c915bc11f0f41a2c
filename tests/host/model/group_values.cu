// Cooperative groups, what is not in the other tests: values larger than a register, tiles with a
// parent and without, groups as arguments, coalesced groups' operations, partitions' ranks, orders
// of floating point, one thread for all, copies.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "check.h"

namespace cg = cooperative_groups;

// --- Values of several registers
// -----------------------------------------------------------------

struct particle {
    double mass;
    float position[3];
    int id;
};
__host__ __device__ particle particle_of(int t) {
    return {t * 1.5, {t * 2.0f, t * 3.0f, t * 5.0f}, t * 7};
}
struct heavier {
    __device__ particle operator()(const particle& a, const particle& b) const {
        particle sum = a;
        sum.mass += b.mass;
        sum.position[0] = a.position[0] > b.position[0] ? a.position[0] : b.position[0];
        sum.id = a.id < b.id ? a.id : b.id;
        return sum;
    }
};

__global__ void large_values(particle* out) {
    const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    const particle mine = particle_of(threadIdx.x);
    particle* o = out + threadIdx.x * 5;
    o[0] = tile.shfl(mine, 3);
    o[1] = tile.shfl_xor(mine, 5);
    o[2] = cg::reduce(tile, mine, heavier());
    o[3] = cg::inclusive_scan(tile, mine, heavier());
    const cg::coalesced_group some = cg::binary_partition(tile, threadIdx.x % 4 == 1);
    o[4] = some.meta_group_rank() == 1 ? some.shfl(mine, 1) : some.shfl_down(mine, 2);
}

static void check_large_values() {
    particle* out = device<particle>(64 * 5);
    large_values<<<1, 64>>>(out);
    const std::vector<particle> got = taken(out, 64 * 5);
    const auto same = [](const char* what, int t, const particle& a, const particle& b) {
        expect(what, t, a.mass, b.mass);
        for (int i = 0; i < 3; ++i) expect(what, t, a.position[i], b.position[i]);
        expect(what, t, a.id, b.id);
    };
    for (int t = 0; t < 64; ++t) {
        const int first = t / 8 * 8;
        same("shfl", t, got[t * 5], particle_of(first + 3));
        same("shfl_xor", t, got[t * 5 + 1], particle_of(t ^ 5));
        particle all = particle_of(first), before = all;
        for (int i = first + 1; i < first + 8; ++i) {
            all.mass += particle_of(i).mass;
            if (i <= t) before.mass = all.mass;
        }
        all.position[0] = particle_of(first + 7).position[0];
        before.position[0] = particle_of(t).position[0];
        const particle& reduced = got[t * 5 + 2];
        expect("reduced mass", t, reduced.mass, all.mass);
        expect("reduced place", t, reduced.position[0], all.position[0]);
        expect("reduced id", t, reduced.id, first * 7);
        const particle& scanned = got[t * 5 + 3];
        expect("scanned mass", t, scanned.mass, before.mass);
        expect("scanned place", t, scanned.position[0], before.position[0]);
        expect("scanned id", t, scanned.id, first * 7);
        // Lanes 1 and 5 of the tile, and the others.
        const int others[6] = {0, 2, 3, 4, 6, 7}, rank[8] = {0, 0, 1, 2, 3, 1, 4, 5};
        const int last = rank[t % 8] + 2;
        const int source = t % 4 == 1 ? first + 5 : last < 6 ? first + others[last] : t;
        same("shfl of a part", t, got[t * 5 + 4], particle_of(source));
    }
}

// --- Groups as arguments, and groups of groups
// -----------------------------------------------------

// As in the Programming Guide: a sum by any group, through shared memory.
__device__ int sum_by(const cg::thread_group& group, int* cells, int value) {
    const int rank = group.thread_rank();
    for (int i = group.size() / 2; i > 0; i /= 2) {
        cells[rank] = value;
        group.sync();
        if (rank < i) value += cells[rank + i];
        group.sync();
    }
    return value;
}
template <unsigned size>
__device__ unsigned ranks_of(cg::thread_block_tile<size> tile) {  // without its parent
    return tile.meta_group_rank() * 10000 + tile.meta_group_size() * 100 + tile.thread_rank();
}

__global__ void nested(unsigned* out, int* sums) {
    __shared__ int cells[96];
    const cg::thread_block block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    const auto four = cg::tiled_partition<4>(warp);
    const cg::thread_group any = four;
    const cg::thread_group parts = cg::tiled_partition(any, 2);
    const unsigned t = block.thread_rank();
    unsigned* o = out + t * 8;
    o[0] = ranks_of<32>(warp);
    o[1] = ranks_of<4>(four);
    o[2] = unsigned(any.size()) * 10 + unsigned(any.thread_rank());
    o[3] = unsigned(parts.size()) * 10 + unsigned(parts.thread_rank());
    o[4] = unsigned(cg::group_size(four)) * 100 + cg::thread_rank(four);
    o[5] = cg::this_thread().size() * 10 + cg::this_thread().thread_rank();
    int* place = cells + t - four.thread_rank();
    const int of_four = sum_by(four, place, t);
    block.sync();
    const int of_warp = sum_by(warp, cells + t / 32 * 32, t);
    cg::thread_block::sync();
    auto token = block.barrier_arrive();
    block.barrier_wait(static_cast<decltype(token)&&>(token));
    sums[t] = four.thread_rank() == 0 ? of_four : -1;
    sums[96 + t] = warp.thread_rank() == 0 ? of_warp : -1;
    o[6] = decltype(four)::thread_rank() + 10 * decltype(warp)::size();
    o[7] = block.dim_threads().y * 100 + cg::this_grid().dim_threads().y * 10 +
           cg::this_grid().is_valid();
}

static void check_nested() {
    unsigned* out = device<unsigned>(96 * 8);
    int* sums = device<int>(96 * 2);
    nested<<<1, dim3(16, 3, 2)>>>(out, sums);
    const std::vector<unsigned> got = taken(out, 96 * 8);
    const std::vector<int> sum = taken(sums, 96 * 2);
    for (unsigned t = 0; t < 96; ++t) {
        const unsigned want[8] = {t / 32 * 10000 + 300 + t % 32,
                                  t % 32 / 4 * 10000 + 800 + t % 4,
                                  40 + t % 4,
                                  20 + t % 2,
                                  400 + t % 4,
                                  10,
                                  t % 4 + 320,
                                  330};
        for (int f = 0; f < 8; ++f) expect("nested", t * 10 + f, got[t * 8 + f], want[f]);
        const int first = t / 4 * 4, lowest = t / 32 * 32;
        expect("sum of four", t, sum[t], t % 4 == 0 ? first * 4 + 6 : -1);
        expect("sum of a warp", t, sum[96 + t], t % 32 == 0 ? lowest * 32 + 496 : -1);
    }
}

// --- Parts of a warp
// ---------------------------------------------------------------------------------

constexpr int part_fields = 18;
__global__ void parts(unsigned* out, float* floats) {
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const unsigned lane = warp.thread_rank();
    unsigned* o = out + threadIdx.x * part_fields;
    const cg::coalesced_group some = cg::labeled_partition(warp, int(lane * lane % 5));
    o[0] = some.meta_group_rank() * 100 + some.meta_group_size();
    o[1] = some.ballot(lane % 2);
    o[2] = some.any(lane == 31) != 0;
    o[3] = some.all(lane != 30) != 0;
    o[4] = some.match_any(lane / 16);
    int all = 5;
    o[5] = some.match_all(lane / 16, all);
    o[6] = all;
    o[7] = some.match_all(3.5f, all);
    o[8] = all;
    o[9] = some.shfl_up(lane, 2);
    o[10] = some.shfl(lane, some.size() - 1);
    o[11] = cg::reduce(some, lane, cg::plus<unsigned>());
    o[12] = cg::exclusive_scan(some, lane + 1);
    o[13] = cg::inclusive_scan(some, lane, cg::bit_xor<unsigned>());
    const cg::coalesced_group fours = cg::tiled_partition(some, 4);
    o[14] = fours.size() * 10000 + fours.thread_rank() * 1000 + fours.meta_group_rank() * 100 +
            fours.meta_group_size();
    o[15] = fours.shfl(lane, 0);
    const cg::coalesced_group yes = cg::labeled_partition(some, lane < 20);
    o[16] = yes.size() * 10000 + yes.meta_group_rank() * 100 + yes.meta_group_size();
    o[17] = warp.match_all(lane / 32, all) == ~0u && all &&
            warp.match_any(lane / 4) == 15u << lane / 4 * 4;
    const float value = 1.0f / (lane + 1) + lane * 1000.0f;
    float* f = floats + threadIdx.x * 4;
    f[0] = cg::reduce(warp, value, cg::plus<float>());
    f[1] = cg::reduce(some, value, cg::plus<float>());
    f[2] = cg::inclusive_scan(warp, value);
    f[3] = cg::exclusive_scan(some, value, cg::plus<float>());
}

// What a device's steps give: partners at distances 16 to 1, or 1 to 16.
static float sum_of_tile(std::vector<float> v, int lane) {
    for (unsigned step = 16; step > 0; step /= 2) {
        const std::vector<float> from = v;
        for (unsigned i = 0; i < 32; ++i) v[i] = from[i] + from[i ^ step];
    }
    return v[lane];
}
static std::vector<float> scan_of(std::vector<float> v) {
    for (unsigned step = 1; step < v.size(); step *= 2) {
        const std::vector<float> from = v;
        for (unsigned i = step; i < v.size(); ++i) v[i] = from[i] + from[i - step];
    }
    return v;
}

static void check_parts() {
    unsigned* out = device<unsigned>(64 * part_fields);
    float* floats = device<float>(64 * 4);
    parts<<<1, 64>>>(out, floats);
    const std::vector<unsigned> got = taken(out, 64 * part_fields);
    const std::vector<float> real = taken(floats, 64 * 4);
    std::vector<float> values;
    for (unsigned l = 0; l < 32; ++l) values.push_back(1.0f / (l + 1) + l * 1000.0f);
    for (unsigned t = 0; t < 64; ++t) {
        const unsigned lane = t % 32, label = lane * lane % 5;
        std::vector<unsigned> members;
        std::vector<float> theirs;
        unsigned rank = 0;
        for (unsigned l = 0; l < 32; ++l)
            if (l * l % 5 == label) {
                if (l == lane) rank = members.size();
                members.push_back(l);
                theirs.push_back(values[l]);
            }
        const unsigned size = members.size();
        unsigned odd = 0, same = 0, sum = 0, before = 0, mixed = 0, low = 0;
        for (unsigned r = 0; r < size; ++r) {
            const unsigned l = members[r];
            odd |= l % 2 << r;
            same |= unsigned(l / 16 == lane / 16) << r;
            sum += l;
            low += l < 20;
            if (r < rank) before += l + 1;
            if (r <= rank) mixed ^= l;
        }
        const bool has_30 = 30 * 30 % 5 == label, has_31 = 31 * 31 % 5 == label;
        const unsigned in_four = size - rank / 4 * 4 < 4 ? size - rank / 4 * 4 : 4;
        const unsigned want[part_fields] = {
            (label == 0   ? 0u
             : label == 1 ? 1u
                          : 2u) *
                    100 +
                3,
            odd,
            has_31,
            !has_30,
            same,
            0,
            0,
            size == 32 ? ~0u : (1u << size) - 1,
            1,
            rank >= 2 ? members[rank - 2] : lane,
            members[size - 1],
            sum,
            before,
            mixed,
            in_four * 10000 + rank % 4 * 1000 + rank / 4 * 100 + (size + 3) / 4,
            members[rank / 4 * 4],
            lane < 20 ? low * 10000 + 102 : (size - low) * 10000 + 2,
            1};
        for (int f = 0; f < part_fields; ++f)
            expect("parts", t * 100 + f, got[t * part_fields + f], want[f]);
        const std::vector<float> scan = scan_of(theirs);
        expect("sum of floats", t, real[t * 4], sum_of_tile(values, lane));
        expect("sum of a part", t, real[t * 4 + 1], scan[size - 1]);
        expect("scan of floats", t, real[t * 4 + 2], scan_of(values)[lane]);
        expect("scan of a part", t, real[t * 4 + 3], rank == 0 ? 0 : scan[rank - 1]);
    }
}

// --- One thread for all, and copies
// --------------------------------------------------------------------

__global__ void one_for_all(int* counters, int* out) {
    const cg::thread_block block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<16>(block);
    cg::invoke_one(block, [&] { atomicAdd(&counters[0], 1); });
    cg::invoke_one(
        tile, [&](int by) { atomicAdd(&counters[1], by); }, 3);
    const int place = cg::invoke_one_broadcast(tile, [&] { return atomicAdd(&counters[2], 16); });
    out[place + tile.thread_rank()] = block.thread_rank() % 16;
}

__global__ void copies(const int* in, int n, int* out) {
    __shared__ int cells[200];
    __shared__ short small[64];
    const cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, cells, in + blockIdx.x * n, sizeof(int) * n);
    cg::wait(block);
    out[blockIdx.x * 64 + threadIdx.x] = cells[n - 1 - threadIdx.x];
    block.sync();
    const auto tile = cg::tiled_partition<32>(block);
    int* half = cells + tile.meta_group_rank() * 100;
    cg::memcpy_async(tile, half, 40, in + blockIdx.x * n, 33);
    cg::memcpy_async(tile, small + tile.meta_group_rank() * 32,
                     reinterpret_cast<const short*>(in + blockIdx.x * n), sizeof(short) * 32);
    cg::wait_prior<1>(tile);
    out[gridDim.x * 64 + blockIdx.x * 64 + threadIdx.x] = half[32 - tile.thread_rank()];
    cg::wait_prior<0>(tile);
    out[gridDim.x * 128 + blockIdx.x * 64 + threadIdx.x] =
        small[threadIdx.x / 32 * 32 + 31 - tile.thread_rank()];
}

static void check_copies() {
    int *counters = device<int>(3), *out = device<int>(4 * 64);
    OK(cudaMemset(counters, 0, 3 * sizeof(int)));
    one_for_all<<<4, 64>>>(counters, out);
    const std::vector<int> count = taken(counters, 3), place = taken(out, 4 * 64);
    expect("one of a block", 0, count[0], 4);
    expect("one of a tile", 0, count[1], 4 * 4 * 3);
    expect("one for all", 0, count[2], 4 * 64);
    for (int i = 0; i < 4 * 64; ++i) expect("places", i, place[i], i % 16);

    const int n = 200;
    std::vector<int> values(3 * n);
    for (int i = 0; i < 3 * n; ++i) values[i] = i * 70001;
    int *in = device<int>(3 * n), *copied = device<int>(3 * 64 * 3);
    OK(cudaMemcpy(in, values.data(), 3 * n * sizeof(int), cudaMemcpyHostToDevice));
    copies<<<3, 64>>>(in, n, copied);
    const std::vector<int> got = taken(copied, 3 * 64 * 3);
    OK(cudaFree(in));
    for (int b = 0; b < 3; ++b)
        for (int t = 0; t < 64; ++t) {
            expect("copied", b * 64 + t, got[b * 64 + t], values[b * n + n - 1 - t]);
            expect("copied by a tile", b * 64 + t, got[192 + b * 64 + t],
                   values[b * n + 32 - t % 32]);
            const int at = 31 - t % 32, word = values[b * n + at / 2];
            expect("short", b * 64 + t, got[384 + b * 64 + t],
                   static_cast<short>(at % 2 ? word >> 16 : word));
        }
}

int main() {
    check_large_values();
    check_nested();
    check_parts();
    check_copies();
    return verdict();
}
