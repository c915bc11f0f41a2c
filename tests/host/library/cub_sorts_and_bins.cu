// CUB's less common collectives and device-wide algorithms, against plain loops.
#include <algorithm>
#include <cub/block/block_shuffle.cuh>
#include <cub/cub.cuh>

#include "cub_twice.h"

constexpr int threads = 64, items = 2, n = threads * items;

struct above {
    __host__ __device__ bool operator()(int a, int b) const { return a > b; }
};
struct differ {
    __host__ __device__ bool operator()(int a, int b) const { return a != b; }
};
struct twice {
    int* numbers;
    __device__ void operator()(int i) const { numbers[i] *= 2; }
};

__global__ void collectives(const int* in, int* out, unsigned* bins) {
    using histogram = cub::BlockHistogram<int, threads, items, 8>;
    using edges = cub::BlockDiscontinuity<int, threads>;
    using sort = cub::BlockMergeSort<int, threads, items>;
    using shuffle = cub::BlockShuffle<int, threads>;
    __shared__ union {
        typename histogram::TempStorage histogram_room;
        typename edges::TempStorage edges_room;
        typename sort::TempStorage sort_room;
        typename shuffle::TempStorage shuffle_room;
    } room;
    __shared__ unsigned counts[8];
    const int self = threadIdx.x;
    int own[items] = {in[items * self], in[items * self + 1]};
    histogram(room.histogram_room).Histogram(own, counts);
    __syncthreads();
    if (self < 8) bins[self] = counts[self];
    __syncthreads();
    int heads[items], tails[items];
    edges(room.edges_room).FlagHeadsAndTails(heads, tails, own, differ());
    for (int i = 0; i < items; ++i) {
        out[items * self + i] = heads[i];
        out[n + items * self + i] = tails[i];
    }
    __syncthreads();
    int rotated = -1, shifted = -1;
    shuffle(room.shuffle_room).Rotate(own[0], rotated, 3);
    __syncthreads();
    shuffle(room.shuffle_room).Offset(own[0], shifted, -1);
    __syncthreads();
    out[3 * n + self] = rotated;
    out[3 * n + threads + self] = shifted;
    sort(room.sort_room).Sort(own, above());
    for (int i = 0; i < items; ++i) out[2 * n + items * self + i] = own[i];
}

int main() {
    int *in = managed<int>(n), *out = managed<int>(5 * n);
    unsigned* bins = managed<unsigned>(8);
    std::vector<int> copy;
    for (int i = 0; i < n; ++i) copy.push_back(in[i] = i / 3 % 8);
    collectives<<<1, threads>>>(in, out, bins);
    cudaDeviceSynchronize();
    for (int i = 0; i < 8; ++i)
        MUST(bins[i] == static_cast<unsigned>(std::count(copy.begin(), copy.end(), i)));
    for (int i = 0; i < n; ++i) {
        MUST(out[i] == (i == 0 || copy[i] != copy[i - 1]));
        MUST(out[n + i] == (i + 1 == n || copy[i] != copy[i + 1]));
    }
    for (int i = 0; i < threads; ++i) {
        MUST(out[3 * n + i] == copy[items * ((i + 3) % threads)]);
        MUST(out[3 * n + threads + i] == (i == 0 ? -1 : copy[items * (i - 1)]));
    }
    std::vector<int> sorted = copy;
    std::sort(sorted.begin(), sorted.end(), above());
    for (int i = 0; i < n; ++i) MUST(out[2 * n + i] == sorted[i]);

    TWICE(cub::DeviceMergeSort::SortKeysCopy(room, bytes, in, out, n, above()));
    for (int i = 0; i < n; ++i) MUST(out[i] == sorted[i]);
    int* offsets = managed<int>(3);
    offsets[0] = 0, offsets[1] = 50, offsets[2] = n;
    TWICE(cub::DeviceSegmentedRadixSort::SortKeysDescending(room, bytes, in, out, n, 2, offsets,
                                                            offsets + 1));
    std::vector<int> parts = copy;
    std::sort(parts.begin(), parts.begin() + 50, above());
    std::sort(parts.begin() + 50, parts.end(), above());
    for (int i = 0; i < n; ++i) MUST(out[i] == parts[i]);
    TWICE(cub::DeviceAdjacentDifference::SubtractLeftCopy(room, bytes, in, out, n));
    for (int i = 0; i < n; ++i) MUST(out[i] == (i == 0 ? copy[0] : copy[i] - copy[i - 1]));
    OK(cub::DeviceFor::Bulk(n, twice{in}));
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) MUST(in[i] == 2 * copy[i]);
    int levels[] = {0, 2, 4, 100}, *edges;
    cudaMallocManaged(&edges, sizeof levels);
    std::copy(levels, levels + 4, edges);
    TWICE(cub::DeviceHistogram::HistogramRange(room, bytes, in, bins, 4, edges, n));
    MUST(bins[0] == static_cast<unsigned>(std::count(copy.begin(), copy.end(), 0)));
    MUST(bins[1] == static_cast<unsigned>(std::count(copy.begin(), copy.end(), 1)));
    MUST(bins[2] == n - bins[0] - bins[1]);
    return verdict();
}
