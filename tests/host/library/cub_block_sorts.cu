// CUB's histograms, run lengths and sorts of the items of blocks and of groups of lanes: equal keys
// keep their order. Against plain loops.
#include <algorithm>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_run_length_decode.cuh>
#include <cub/warp/warp_merge_sort.cuh>

#include "check.h"

using ints = std::vector<int>;

constexpr int threads = 64, width = 16, own = 3, n = threads * own, lanes = 16;

struct less_tens {
    __host__ __device__ bool operator()(int a, int b) const { return a / 10 < b / 10; }
};

/// A thread's items in a row of `out`, which all threads fill.
__device__ void put(int*& out, const int (&items)[own]) {
    for (int i = 0; i < own; ++i) out[(threadIdx.y * width + threadIdx.x) * own + i] = items[i];
    out += n;
    __syncthreads();
}

__device__ void take(const int* in, int (&items)[own]) {
    for (int i = 0; i < own; ++i) items[i] = in[(threadIdx.y * width + threadIdx.x) * own + i];
}

constexpr int bins = 7;

template <cub::BlockHistogramAlgorithm Algorithm>
__global__ void count_items(const int* in, int* out) {
    using histogram = cub::BlockHistogram<int, width, own, bins, Algorithm, threads / width>;
    __shared__ typename histogram::TempStorage room;
    extern __shared__ int counts[];
    const int self = threadIdx.y * width + threadIdx.x;
    if (self < bins) counts[self] = 77;  // which must not count
    __syncthreads();
    histogram(room).InitHistogram(counts);
    __syncthreads();
    for (int part = 0; part < 2; ++part) {
        int items[own];
        take(in + part * n, items);
        histogram(room).Composite(items, counts);
        __syncthreads();
    }
    if (self < bins) out[self] = counts[self];
}

template <cub::BlockHistogramAlgorithm Algorithm>
void try_counts(const char* what) {
    ints in(2 * n), wanted(bins);
    for (int i = 0; i < 2 * n; ++i) ++wanted[in[i] = i * i / 5 % bins];
    int* const out = managed(ints(bins));
    count_items<Algorithm>
        <<<1, dim3(width, threads / width), bins * sizeof(int)>>>(managed(in), out);
    wait_for_device(what);
    expect_all(what, "Composite", out, wanted);
}

/// Decodes two runs of each thread, given by the number of items before them.
__global__ void decode(const int* values, const int* starts, int size, int* out, int* places) {
    using decoder = cub::BlockRunLengthDecode<int, width, 2, own, unsigned, threads / width>;
    __shared__ typename decoder::TempStorage room;
    const int self = threadIdx.y * width + threadIdx.x;
    int value[2] = {values[2 * self], values[2 * self + 1]};
    unsigned start[2] = {static_cast<unsigned>(starts[2 * self]),
                         static_cast<unsigned>(starts[2 * self + 1])};
    decoder runs(room, value, start);
    __syncthreads();
    for (int first = 0; first < size; first += n) {
        int items[own], place[own], again[own];
        runs.RunLengthDecode(again, first);
        runs.RunLengthDecode(items, place, first);
        for (int i = 0; i < own; ++i) {
            const int at = first + self * own + i;
            if (at < size) out[at] = items[i] + 1000 * again[i], places[at] = place[i];
        }
    }
}

static void try_decoding() {
    ints values, starts, wanted, places;
    for (int i = 0; i < 2 * threads; ++i) {
        values.push_back(i * 37 % 101), starts.push_back(static_cast<int>(wanted.size()));
        for (int j = 0; j < 1 + i * 7 % 4; ++j)
            wanted.push_back(1001 * values[i]), places.push_back(j);
    }
    const int size = static_cast<int>(wanted.size());
    int *const out = managed(ints(size)), *const d_places = managed(ints(size));
    decode<<<1, dim3(width, threads / width)>>>(managed(values), managed(starts), size, out,
                                                d_places);
    wait_for_device("run lengths");
    expect_all("run lengths", "decoded", out, wanted);
    expect_all("run lengths", "places", d_places, places);
}

/// All forms of a stable sort, of keys and of pairs of keys and places.
template <class Sort>
__device__ void stable_sorts(typename Sort::TempStorage& room, const int* in, const int* numbers,
                             int* out, int valid) {
    int keys[own], values[own];
    take(in, keys);
    Sort(room).StableSort(keys, less_tens()), put(out, keys);
    take(in, keys), take(numbers, values);
    Sort(room).StableSort(keys, values, less_tens()), put(out, keys), put(out, values);
    take(in, keys);
    Sort(room).StableSort(keys, less_tens(), valid, 1 << 20), put(out, keys);
    take(in, keys), take(numbers, values);
    Sort(room).StableSort(keys, values, less_tens(), valid, 1 << 20), put(out, keys),
        put(out, values);
}
__global__ void sort_block(const int* in, const int* numbers, int* out, int valid) {
    using sort = cub::BlockMergeSort<int, width, own, int, threads / width>;
    __shared__ typename sort::TempStorage room;
    stable_sorts<sort>(room, in, numbers, out, valid);
}
__global__ void sort_groups(const int* in, const int* numbers, int* out, int valid) {
    using sort = cub::WarpMergeSort<int, own, lanes, int>;
    __shared__ typename sort::TempStorage rooms[threads / lanes];
    stable_sorts<sort>(rooms[threadIdx.y], in, numbers, out, valid);
}

template <class Kernel>
void try_stable_sorts(const char* what, Kernel kernel, int group, int valid) {
    ints in(n), numbers(n);
    for (int i = 0; i < n; ++i) in[i] = i * 53 % 97, numbers[i] = 5 * i;
    int* const out = managed(ints(6 * n));
    kernel<<<1, dim3(width, threads / width)>>>(managed(in), managed(numbers), out, valid);
    wait_for_device(what);
    ints rows[6];
    for (int begin = 0; begin < n; begin += group)
        for (const int size : {group, valid}) {
            ints order;
            for (int i = begin; i < begin + size; ++i) order.push_back(i);
            std::stable_sort(order.begin(), order.end(),
                             [&](int a, int b) { return less_tens()(in[a], in[b]); });
            const int row = size == group ? 0 : 3;
            for (const int i : order)
                rows[row].push_back(in[i]), rows[row + 2].push_back(numbers[i]);
            // What the places behind the valid ones get is open.
            for (int i = begin + size; i < begin + group; ++i)
                rows[row].push_back(out[row * n + i]),
                    rows[row + 2].push_back(out[(row + 2) * n + i]);
        }
    for (int i = 0; i < n; ++i) {
        rows[1].push_back(rows[0][i]);
        rows[4].push_back(i % group < valid ? rows[3][i] : out[4 * n + i]);
    }
    const char* const names[] = {"keys",      "keys of pairs",      "values",
                                 "some keys", "some keys of pairs", "some values"};
    for (int row = 0; row < 6; ++row) expect_all(what, names[row], out + row * n, rows[row]);
}

__global__ void sort_by_bits(const int* in, const int* numbers, int* out) {
    using pairs = cub::BlockRadixSort<int, width, own, int, 4, true, cub::BLOCK_SCAN_WARP_SCANS,
                                      cudaSharedMemBankSizeFourByte, threads / width>;
    using alone =
        cub::BlockRadixSort<int, width, own, cub::NullType, 4, true, cub::BLOCK_SCAN_WARP_SCANS,
                            cudaSharedMemBankSizeFourByte, threads / width>;
    __shared__ union {
        typename pairs::TempStorage pairs_room;
        typename alone::TempStorage alone_room;
    } room;
    int keys[own], values[own];
    take(in, keys);
    alone(room.alone_room).SortBlockedToStriped(keys, 2, 6), put(out, keys);
    take(in, keys), take(numbers, values);
    pairs(room.pairs_room).SortBlockedToStriped(keys, values, 2, 6), put(out, keys),
        put(out, values);
}

static void try_sort_by_bits() {
    ints in(n), numbers(n), order(n), keys(n), values(n);
    for (int i = 0; i < n; ++i) in[i] = i * 59 % 211, numbers[i] = 7 * i, order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return (in[a] >> 2 & 15) < (in[b] >> 2 & 15); });
    for (int thread = 0; thread < threads; ++thread)
        for (int i = 0; i < own; ++i) {
            const int from = order[thread + i * threads];
            keys[thread * own + i] = in[from], values[thread * own + i] = numbers[from];
        }
    int* const out = managed(ints(3 * n));
    sort_by_bits<<<1, dim3(width, threads / width)>>>(managed(in), managed(numbers), out);
    wait_for_device("striped sort");
    expect_all("striped sort", "keys", out, keys),
        expect_all("striped sort", "keys of pairs", out + n, keys);
    expect_all("striped sort", "values", out + 2 * n, values);
}

int main() {
    try_counts<cub::BLOCK_HISTO_SORT>("a sorted histogram");
    try_counts<cub::BLOCK_HISTO_ATOMIC>("a histogram");
    try_decoding();
    try_stable_sorts("a stable sort of a block", sort_block, n, 101);
    try_stable_sorts("a stable sort of groups", sort_groups, lanes * own, 29);
    try_sort_by_bits();
    return verdict();
}
