// CUB's sorts of warps, of devices and of segments, and histograms, against plain loops.
#include <algorithm>
#include <cub/cub.cuh>
#include <functional>

#include "cub_twice.h"

__global__ void of_warps(const int* in, int* out, int* places) {
    using full = cub::WarpMergeSort<int, 2, 32, int>;
    using quarter = cub::WarpMergeSort<int, 2, 8>;
    __shared__ typename full::TempStorage full_room;
    __shared__ typename quarter::TempStorage rooms[4];
    const int self = threadIdx.x;
    int keys[2] = {in[2 * self], in[2 * self + 1]}, own[2] = {2 * self, 2 * self + 1};
    full(full_room).Sort(keys, own, [](int a, int b) { return a < b; });
    for (int i = 0; i < 2; ++i) out[2 * self + i] = keys[i], places[2 * self + i] = own[i];
    for (int i = 0; i < 2; ++i) keys[i] = in[2 * self + i];
    // The last five of each part take part as a large number.
    quarter(rooms[self / 8])
        .Sort(
            keys, [](int a, int b) { return a < b; }, 11, 1000);
    for (int i = 0; i < 2; ++i) out[64 + 2 * self + i] = keys[i];
}

static void test_warps() {
    int *in = managed<int>(64), *out = managed<int>(128), *places = managed<int>(64);
    for (int i = 0; i < 64; ++i) in[i] = i * 23 % 17;
    of_warps<<<1, 32>>>(in, out, places);
    OK(cudaDeviceSynchronize());
    std::vector<int> order(64);
    for (int i = 0; i < 64; ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return in[a] < in[b]; });
    for (int i = 0; i < 64; ++i) MUST(out[i] == in[order[i]] && places[i] == order[i]);
    for (int part = 0; part < 4; ++part) {
        std::vector<int> wanted(in + 16 * part, in + 16 * (part + 1));
        std::fill(wanted.begin() + 11, wanted.end(), 1000);
        std::sort(wanted.begin(), wanted.end());
        MUST(std::equal(wanted.begin(), wanted.end(), out + 64 + 16 * part));
    }
}

static void test_sorts() {
    constexpr int n = 100;
    int *keys = managed<int>(n), *out = managed<int>(n);
    for (int i = 0; i < n; ++i) keys[i] = (i * 61) % 101 - 50;
    std::vector<int> was(keys, keys + n);
    // Of an int, whose sign is turned, bits 4 and on.
    TWICE(cub::DeviceRadixSort::SortKeys(room, bytes, keys, out, n, 4, 32));
    std::stable_sort(was.begin(), was.end(), [](int a, int b) { return a >> 4 < b >> 4; });
    for (int i = 0; i < n; ++i) MUST(out[i] == was[i]);
    int* begin = managed<int>(3);
    begin[0] = 0, begin[1] = 40, begin[2] = n;
    TWICE(cub::DeviceSegmentedRadixSort::SortKeys(room, bytes, keys, out, n, 2, begin, begin + 1, 0,
                                                  4));
    for (int s = 0; s < 2; ++s) {
        std::vector<int> part(keys + begin[s], keys + begin[s + 1]);
        std::stable_sort(part.begin(), part.end(),
                         [](int a, int b) { return (a & 15) < (b & 15); });
        MUST(std::equal(part.begin(), part.end(), out + begin[s]));
    }
    float *real = managed<float>(n), *sorted = managed<float>(n);
    int* places = managed<int>(n);
    for (int i = 0; i < n; ++i) {
        real[i] = i % 10 == 3 ? NAN : i % 2 != 0 ? -0.0f : i % 4 == 0 ? 0.0f : i - 50.0f;
        places[i] = i;
    }
    TWICE(cub::DeviceRadixSort::SortPairs(room, bytes, real, sorted, places, out, n));
    for (int i = 1; i < n; ++i) {
        const bool is_last = std::isnan(sorted[i]) || sorted[i - 1] < sorted[i];
        MUST(is_last || (sorted[i - 1] == sorted[i] && out[i - 1] < out[i]));
    }
    // A NaN lies at the end, and a segment that ends before it begins is empty.
    begin[0] = 0, begin[1] = n / 2, begin[2] = n;
    int* ends = managed<int>(2);
    ends[0] = n / 2, ends[1] = n / 2 - 1;
    std::fill(sorted, sorted + n, 7.0f);
    TWICE(cub::DeviceSegmentedSort::SortKeys(room, bytes, real, sorted, n, 2, begin, ends));
    for (int i = 1; i < n / 2; ++i) MUST(std::isnan(sorted[i]) || sorted[i - 1] <= sorted[i]);
    MUST(std::isnan(sorted[n / 2 - 5]) && !std::isnan(sorted[n / 2 - 6]));
    for (int i = n / 2; i < n; ++i) MUST(sorted[i] == 7.0f);
    begin[1] = 40;
    cub::DoubleBuffer<int> buffer(keys, out);
    const std::vector<int> before(keys, keys + n);
    TWICE(cub::DeviceSegmentedSort::StableSortKeysDescending(room, bytes, buffer, n, 2, begin,
                                                             begin + 1));
    for (int s = 0; s < 2; ++s) {
        std::vector<int> part(before.begin() + begin[s], before.begin() + begin[s + 1]);
        std::sort(part.begin(), part.end(), std::greater<int>());
        MUST(std::equal(part.begin(), part.end(), buffer.Current() + begin[s]));
    }
}

static void test_histograms() {
    // 256 bins of a sample's type: 256 is no number of that type.
    unsigned char* bytes_in = managed<unsigned char>(256);
    int* bins = managed<int>(300);
    for (int i = 0; i < 256; ++i) bytes_in[i] = static_cast<unsigned char>(i);
    TWICE(cub::DeviceHistogram::HistogramEven(room, bytes, bytes_in, bins, 257, 0, 256, 256));
    for (int i = 0; i < 256; ++i) MUST(bins[i] == 1);
    int* large = managed<int>(2);
    large[0] = 1999999999, large[1] = 1000000000;
    TWICE(cub::DeviceHistogram::HistogramEven(room, bytes, large, bins, 5, 0, 2000000000, 2));
    MUST(bins[0] == 0 && bins[2] == 1 && bins[3] == 1);
    // The levels' distance is no int.
    large[0] = -2000000000, large[1] = 1999999999;
    TWICE(cub::DeviceHistogram::HistogramEven(room, bytes, large, bins, 5, -2000000000, 2000000000,
                                              2));
    MUST(bins[0] == 1 && bins[1] == 0 && bins[3] == 1);
    float* real = managed<float>(2);
    real[0] = -0.5f, real[1] = 0.5f;
    TWICE(cub::DeviceHistogram::HistogramEven(room, bytes, real, bins, 3, 0, 2, 2));
    MUST(bins[0] == 1 && bins[1] == 0);
    // Just below the highest level, which rounding takes to it.
    bins[3] = -1;
    for (float high = 0.1f; high < 3; high += 0.01f) {
        real[0] = std::nextafter(high, 0.0f);
        TWICE(cub::DeviceHistogram::HistogramEven(room, bytes, real, bins, 4, -1.0f, high, 1));
        MUST(bins[2] == 1 && bins[3] == -1);
    }
}

int main() {
    test_warps();
    test_sorts();
    test_histograms();
    return verdict();
}
