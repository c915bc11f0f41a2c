// CUB's loads and stores of blocks and of groups of lanes, and its shuffles, flags and differences
// of a block's neighbouring items, against plain loops.
#include <algorithm>
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_load.cuh>
#include <cub/warp/warp_store.cuh>

#include "check.h"

using ints = std::vector<int>;

constexpr int threads = 64, width = 16, own = 3, n = threads * own, lanes = 16;
constexpr int unset = -9, other = -7;

/// A thread's items in a row of `out`, which all threads fill.
__device__ void put(int*& out, const int (&items)[own]) {
    for (int i = 0; i < own; ++i) out[(threadIdx.y * width + threadIdx.x) * own + i] = items[i];
    out += n;
    __syncthreads();
}

/// Where a thread's items lie among those of its group, which has `count` threads.
static int place(bool is_striped, int thread, int item, int count) {
    return is_striped ? thread + item * count : thread * own + item;
}

/// All forms of a load and a store. `group` counts the items of the groups before.
template <class Load, class Store>
__device__ void move(Load load, Store store, const int* in, int* out, int group, int valid) {
    int items[own];
    load.Load(in + group, items), put(out, items);
    load.Load(in + group, items, valid, other), put(out, items);
    load.Load(in + group, items, valid), put(out, items);
    for (int i = 0; i < own; ++i) items[i] = 1000 + (threadIdx.y * width + threadIdx.x) * own + i;
    store.Store(out + group, items);
    __syncthreads();
    store.Store(out + n + group, items, valid);
}
template <cub::BlockLoadAlgorithm Load, cub::BlockStoreAlgorithm Store>
__global__ void move_in_block(const int* in, int* out, int valid) {
    using load = cub::BlockLoad<int, width, own, Load, threads / width>;
    using store = cub::BlockStore<int, width, own, Store, threads / width>;
    __shared__ typename load::TempStorage load_room;
    __shared__ typename store::TempStorage store_room;
    move(load(load_room), store(store_room), in, out, 0, valid);
}
template <cub::WarpLoadAlgorithm Load, cub::WarpStoreAlgorithm Store>
__global__ void move_in_groups(const int* in, int* out, int valid) {
    using load = cub::WarpLoad<int, own, Load, lanes>;
    using store = cub::WarpStore<int, own, Store, lanes>;
    __shared__ typename load::TempStorage load_rooms[threads / lanes];
    __shared__ typename store::TempStorage store_rooms[threads / lanes];
    const int group = threadIdx.y;  // a row has as many threads as a group
    move(load(load_rooms[group]), store(store_rooms[group]), in, out, group * lanes * own, valid);
}

template <class Kernel>
void try_moves(const char* what, Kernel kernel, bool is_striped, int count, int valid) {
    ints in(n);
    for (int i = 0; i < n; ++i) in[i] = 3 * i + 1;
    int* const out = managed(ints(5 * n, unset));
    kernel<<<1, dim3(width, threads / width)>>>(managed(in), out, valid);
    wait_for_device(what);
    ints all(n), guarded(n), some(out + 2 * n, out + 3 * n), stored(n), stored_some(n, unset);
    for (int thread = 0; thread < threads; ++thread)
        for (int i = 0; i < own; ++i) {
            const int begin = thread / count * count * own, at = thread * own + i;
            const int from = place(is_striped, thread % count, i, count);
            all[at] = in[begin + from];
            guarded[at] = from < valid ? all[at] : other;
            if (from < valid) some[at] = all[at];  // others are anything
            stored[begin + from] = 1000 + at;
            if (from < valid) stored_some[begin + from] = 1000 + at;
        }
    const ints* const rows[] = {&all, &guarded, &some, &stored, &stored_some};
    const char* const names[] = {"Load", "Load of some, else a value", "Load of some", "Store",
                                 "Store of some"};
    for (int row = 0; row < 5; ++row) expect_all(what, names[row], out + row * n, *rows[row]);
}

static void moves() {
#define IN_BLOCK(way)                                                                        \
    try_moves("a block " #way, move_in_block<cub::BLOCK_LOAD_##way, cub::BLOCK_STORE_##way>, \
              cub::BLOCK_LOAD_##way == cub::BLOCK_LOAD_STRIPED, threads, 101)
#define IN_GROUPS(way)                                                                     \
    try_moves("a warp " #way, move_in_groups<cub::WARP_LOAD_##way, cub::WARP_STORE_##way>, \
              cub::WARP_LOAD_##way == cub::WARP_LOAD_STRIPED, lanes, 29)
    IN_BLOCK(DIRECT);
    IN_BLOCK(STRIPED);
    IN_BLOCK(VECTORIZE);
    IN_BLOCK(TRANSPOSE);
    IN_BLOCK(WARP_TRANSPOSE);
    IN_BLOCK(WARP_TRANSPOSE_TIMESLICED);
    IN_GROUPS(DIRECT);
    IN_GROUPS(STRIPED);
    IN_GROUPS(VECTORIZE);
    IN_GROUPS(TRANSPOSE);
}

struct differ {
    __host__ __device__ bool operator()(int a, int b) const { return a != b; }
};
/// Takes the second one's number too. The block's ends have no such numbers.
struct differ_or_fifth {
    __host__ __device__ bool operator()(int a, int b, int number) const {
        return a != b || number % 5 == 3;
    }
};
struct weighted {
    __host__ __device__ int operator()(int a, int b) const { return 3 * a - 2 * b; }
};
__device__ void take(const int* in, int (&items)[own]) {
    for (int i = 0; i < own; ++i) items[i] = in[(threadIdx.y * width + threadIdx.x) * own + i];
}

__global__ void neighbours(const int* in, int* out) {
    using flags = cub::BlockDiscontinuity<int, width, threads / width>;
    using differences = cub::BlockAdjacentDifference<int, width, threads / width>;
    using shuffle = cub::BlockShuffle<int, width, threads / width>;
    __shared__ union {
        typename flags::TempStorage flags_room;
        typename differences::TempStorage differences_room;
        typename shuffle::TempStorage shuffle_room;
    } room;
    int items[own], to[own], first = unset;
    take(in, items);
    flags(room.flags_room).FlagTails(to, items, differ()), put(out, to);
    flags(room.flags_room).FlagTails(to, items, differ(), 1), put(out, to);
    flags(room.flags_room).FlagTails(to, items, differ_or_fifth(), 1), put(out, to);
    flags(room.flags_room).FlagHeads(to, items, differ()), put(out, to);
    flags(room.flags_room).FlagHeads(to, items, differ_or_fifth(), 0), put(out, to);
    differences(room.differences_room).SubtractLeft(items, to, weighted()), put(out, to);
    differences(room.differences_room).SubtractLeft(items, to, weighted(), 50), put(out, to);
    // The block's ends stay as they are.
    for (int& value : to) value = unset;
    shuffle(room.shuffle_room).Up(items, to), put(out, to);
    for (int& value : to) value = unset;
    shuffle(room.shuffle_room).Down(items, to), put(out, to);
    for (int& value : to) value = unset;
    shuffle(room.shuffle_room).Down(items, to, first), put(out, to);
    for (int& value : to) value = first;
    put(out, to);
}

static void try_neighbours() {
    ints in(n);
    for (int i = 0; i < n; ++i) in[i] = i * i / 7 % 5;
    int* const out = managed(ints(11 * n, unset));
    neighbours<<<1, dim3(width, threads / width)>>>(managed(in), out);
    wait_for_device("neighbours");
    std::vector<ints> rows(11, ints(n));
    for (int i = 0; i < n; ++i) {
        const bool is_first = i == 0, is_last = i + 1 == n;
        const int left = is_first ? unset : in[i - 1], right = is_last ? unset : in[i + 1];
        const int after = is_last ? 1 : right, before = is_first ? 0 : left;
        const int values[] = {in[i] != right,
                              in[i] != after,
                              in[i] != after || (i + 1) % 5 == 3,
                              in[i] != left,
                              in[i] != before || i % 5 == 3,
                              is_first ? in[i] : 3 * in[i] - 2 * left,
                              3 * in[i] - 2 * (is_first ? 50 : left),
                              left,
                              right,
                              right,
                              in[0]};
        for (int row = 0; row < 11; ++row) rows[row][i] = values[row];
    }
    const char* const names[] = {"FlagTails",
                                 "FlagTails before a value",
                                 "FlagTails by number",
                                 "FlagHeads",
                                 "FlagHeads by number",
                                 "SubtractLeft",
                                 "SubtractLeft after a value",
                                 "Up",
                                 "Down",
                                 "Down and the first",
                                 "the first"};
    for (int row = 0; row < 11; ++row)
        expect_all("neighbours", names[row], out + row * n, rows[row]);
}

int main() {
    moves();
    try_neighbours();
    return verdict();
}
