// CUB: the types in which it adds up, calls in place, and collectives by some of the bits of all
// kinds of keys, against plain loops.
#include <algorithm>
#include <cub/cub.cuh>
#include <limits>

#include "cub_twice.h"

constexpr int threads = 32, items = 2, block = threads * items;

struct differ {
    __host__ __device__ bool operator()(int a, int b) const { return a != b; }
};
struct less {
    __host__ __device__ bool operator()(int a, int b) const { return a < b; }
};
struct from_hundred {
    int sum = 100;
    __device__ int operator()(int all) {
        const int before = sum;
        sum += all;
        return before;
    }
};
struct is_odd {
    __host__ __device__ bool operator()(int a) const { return a % 2 != 0; }
};
struct is_small {
    __host__ __device__ bool operator()(int a) const { return a < 300; }
};
struct plus {
    template <class T>
    __host__ __device__ T operator()(T a, T b) const {
        return a + b;
    }
};

__global__ void collectives(const int* in, int* out) {
    using radix = cub::BlockRadixSort<int, threads, items, int>;
    using keys_alone = cub::BlockRadixSort<float, threads, items>;
    using merge = cub::BlockMergeSort<int, threads, items>;
    using scan = cub::BlockScan<int, threads>;
    using edges = cub::BlockDiscontinuity<int, threads>;
    using shuffle = cub::BlockShuffle<int, threads>;
    using difference = cub::BlockAdjacentDifference<int, threads>;
    __shared__ union {
        typename radix::TempStorage radix_room;
        typename keys_alone::TempStorage keys_room;
        typename merge::TempStorage merge_room;
        typename scan::TempStorage scan_room;
        typename edges::TempStorage edges_room;
        typename shuffle::TempStorage shuffle_room;
        typename difference::TempStorage difference_room;
    } room;
    const int self = threadIdx.x;
    const auto take = [&](int(&own)[items]) {
        for (int i = 0; i < items; ++i) own[i] = in[items * self + i];
    };
    const auto put = [&](int part, const int(&own)[items]) {
        for (int i = 0; i < items; ++i) out[part * block + items * self + i] = own[i];
        __syncthreads();
    };
    int own[items], other[items], tails[items];
    // By bits 4 to 7, so that equal ones keep their order.
    take(own);
    for (int i = 0; i < items; ++i) other[i] = items * self + i;
    radix(room.radix_room).Sort(own, other, 4, 8);
    put(0, other);
    take(own);
    for (int i = 0; i < items; ++i) other[i] = items * self + i;
    radix(room.radix_room).SortDescendingBlockedToStriped(own, other);
    for (int i = 0; i < items; ++i) out[block + self + i * threads] = other[i];
    __syncthreads();
    // The last nine places become the largest number.
    take(own);
    merge(room.merge_room).Sort(own, less(), block - 9, 1 << 30);
    put(2, own);
    take(own);
    from_hundred prefix;
    scan(room.scan_room).InclusiveSum(own, own, prefix);
    put(3, own);
    take(own);
    scan(room.scan_room).ExclusiveSum(own, own, prefix);
    put(4, own);
    take(own);
    edges(room.edges_room).FlagHeads(other, own, differ(), 7);
    put(5, other);
    edges(room.edges_room).FlagHeadsAndTails(other, 7, tails, 8, own, differ());
    put(6, other);
    put(10, tails);
    take(own);
    int last = 0;
    shuffle(room.shuffle_room).Up(own, other, last);
    other[0] = self == 0 ? last : other[0];
    put(7, other);
    difference(room.difference_room)
        .SubtractRight(
            own, other, [](int& a, int& b) { return a - b; }, 1000);
    put(8, other);
    float floats[items];
    for (int i = 0; i < items; ++i) {
        const int at = items * self + i;
        floats[i] = at % 8 == 3 ? NAN : at % 2 != 0 ? -0.0f : at % 3 - 1.0f;
    }
    keys_alone(room.keys_room).Sort(floats);
    for (int i = 0; i < items; ++i) own[i] = isnan(floats[i]) ? 99 : static_cast<int>(floats[i]);
    put(9, own);
}

static void test_collectives() {
    int* in = managed<int>(block);
    int* out = managed<int>(11 * block);
    for (int i = 0; i < block; ++i) in[i] = (i * 37 + 5) % 211;
    std::vector<int> was(in, in + block);
    collectives<<<1, threads>>>(in, out);
    OK(cudaDeviceSynchronize());
    std::vector<int> order(block);
    for (int i = 0; i < block; ++i) order[i] = i;
    auto by_bits = order;
    std::stable_sort(by_bits.begin(), by_bits.end(),
                     [&](int a, int b) { return (was[a] >> 4 & 15) < (was[b] >> 4 & 15); });
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return was[a] > was[b]; });
    auto merged = was;
    for (int i = block - 9; i < block; ++i) merged[i] = 1 << 30;
    std::sort(merged.begin(), merged.end());
    int all = 0;
    for (const int each : was) all += each;
    int sum = 0, nans = 0, below = 0;
    for (int i = 0; i < block; ++i) {
        MUST(out[i] == by_bits[i]);
        MUST(out[block + i] == order[i]);
        MUST(out[2 * block + i] == merged[i]);
        MUST(out[4 * block + i] == 100 + all + sum);
        sum += was[i];
        MUST(out[3 * block + i] == 100 + sum);
        MUST(out[5 * block + i] == (was[i] != (i == 0 ? 7 : was[i - 1])));
        MUST(out[6 * block + i] == (was[i] != (i == 0 ? 7 : was[i - 1])));
        MUST(out[10 * block + i] == (was[i] != (i + 1 == block ? 8 : was[i + 1])));
        MUST(out[7 * block + i] == (i == 0 ? was[block - 1] : was[i - 1]));
        MUST(out[8 * block + i] == was[i] - (i + 1 == block ? 1000 : was[i + 1]));
        const int value = out[9 * block + i];
        nans += value == 99;
        below += value == -1;
        MUST(i == 0 || out[9 * block + i - 1] <= value);
    }
    MUST(nans == block / 8 && below > 0 && out[9 * block] == -1 && out[10 * block - 1] == 99);
}

static void test_sums() {
    constexpr int n = 1000;
    auto* flags = managed<unsigned char>(n);
    auto* out = managed<int>(n);
    auto* real = managed<double>(4);
    for (int i = 0; i < n; ++i) flags[i] = i % 4 != 0;
    TWICE(cub::DeviceReduce::Sum(room, bytes, flags, out, n));
    MUST(out[0] == 750);
    TWICE(cub::DeviceScan::InclusiveSum(room, bytes, flags, out, n));
    MUST(out[n - 1] == 750);
    TWICE(cub::DeviceScan::ExclusiveSum(room, bytes, flags, out, n));
    MUST(out[n - 1] == 749);
    int* begin = managed<int>(3);
    begin[0] = 0, begin[1] = 600, begin[2] = n;
    TWICE(cub::DeviceSegmentedReduce::Sum(room, bytes, flags, out, 2, begin, begin + 1));
    MUST(out[0] == 450 && out[1] == 300);
    for (int i = 0; i < 3; ++i) real[i] = i + 0.25;
    TWICE(cub::DeviceReduce::Reduce(room, bytes, real, real + 3, 3, plus(), 0.0));
    MUST(real[3] == 3.75);
    TWICE(cub::DeviceReduce::Reduce(room, bytes, real, real + 3, 3, cub::Sum(), 0));
    MUST(real[3] == 3.75);
    // In place.
    for (int i = 0; i < n; ++i) out[i] = i;
    TWICE(cub::DeviceScan::InclusiveSum(room, bytes, out, n));
    MUST(out[n - 1] == 499500 && out[2] == 3);
    for (int i = 0; i < n; ++i) out[i] = i;
    TWICE(cub::DeviceScan::ExclusiveSum(room, bytes, out, n, cudaStream_t(0)));
    MUST(out[n - 1] == 498501 && out[2] == 1);
    for (int i = 0; i < n; ++i) out[i] = i;
    int* found = managed<int>(2);
    TWICE(cub::DeviceSelect::If(room, bytes, out, found, n, is_odd()));
    MUST(found[0] == 500 && out[0] == 1 && out[499] == 999);
    TWICE(cub::DeviceSelect::Flagged(room, bytes, out, flags, found, 8));
    MUST(found[0] == 6 && out[0] == 3 && out[5] == 15);
    // Keys in parts, each with a first value.
    int* keys = managed<int>(6);
    for (int i = 0; i < 6; ++i) keys[i] = i / 4, out[i] = i + 1;
    TWICE(cub::DeviceScan::ExclusiveScanByKey(room, bytes, keys, out, out + 10, cub::Max(), -5, 6));
    MUST(out[10] == -5 && out[13] == 3 && out[14] == -5 && out[15] == 5);
    TWICE(cub::DeviceScan::InclusiveSumByKey(room, bytes, keys, out, out, 6, cub::Equality(),
                                             cudaStream_t(0)));
    MUST(out[3] == 10 && out[4] == 5 && out[5] == 11);
    for (int i = 0; i < n; ++i) out[i] = i;
    int *a = managed<int>(n), *b = managed<int>(n), *c = managed<int>(n);
    TWICE(cub::DevicePartition::If(room, bytes, out, a, b, c, found, n, is_odd(), is_small()));
    MUST(found[0] == 500 && found[1] == 150 && a[1] == 3 && b[149] == 298 && c[0] == 300);
    cub::KeyValuePair<int, int>* best = managed<cub::KeyValuePair<int, int>>(1);
    TWICE(cub::DeviceReduce::ArgMin(room, bytes, out, best, 0));
    MUST(best->key == 1 && best->value == std::numeric_limits<int>::max());
    TWICE(cub::DeviceReduce::ArgMax(room, bytes, out, a, b, n));
    MUST(a[0] == 999 && b[0] == 999);
}

int main() {
    test_collectives();
    test_sums();
    return verdict();
}
