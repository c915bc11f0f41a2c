// CUB's less common device-wide calls, against plain loops.
#include <algorithm>
#include <cub/cub.cuh>
#include <functional>
#include <numeric>

#include "check.h"

struct less {
    __host__ __device__ bool operator()(int a, int b) const { return a / 10 < b / 10; }
};
struct is_odd {
    __host__ __device__ bool operator()(int a) const { return a % 2 != 0; }
};
struct twice {
    __device__ void operator()(int& a) const { a *= 2; }
};

/// Runs a call twice, as CUB wants it.
template <class F>
void call(const F& f) {
    std::size_t bytes = 0;
    CubDebugExit(f(nullptr, bytes));
    void* room;
    CubDebugExit(cudaMalloc(&room, bytes));
    OK(CubDebug(f(room, bytes)));
    OK(cudaDeviceSynchronize());
    cudaFree(room);
}
template <class T>
std::vector<T> fetched(const T* from, std::size_t count) {
    std::vector<T> to(count);
    cudaMemcpy(to.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost);
    return to;
}

void merges() {
    // Keys are compared by their tens: the first sequence's come first among equal ones.
    const std::vector<int> a{1, 12, 13, 40, 55}, b{3, 10, 29, 41, 60, 61};
    const std::vector<int> merged{1, 3, 12, 13, 10, 29, 40, 41, 55, 60, 61};
    int* const out = device(std::vector<int>(a.size() + b.size()));
    int *const d_a = device(a), *const d_b = device(b);
    const auto count_a = static_cast<int>(a.size()), count_b = static_cast<int>(b.size());
    call([&](void* room, std::size_t& bytes) {
        return cub::DeviceMerge::MergeKeys(room, bytes, d_a, count_a, d_b, count_b, out, less());
    });
    MUST(fetched(out, merged.size()) == merged);
    std::vector<int> values_a(a), values_b(b), values(merged);
    for (auto* some : {&values_a, &values_b, &values})
        for (int& v : *some) v = 1000 - v;
    int *const d_va = device(values_a), *const d_vb = device(values_b);
    int* const values_out = device(std::vector<int>(values.size()));
    call([&](void* room, std::size_t& bytes) {
        return cub::DeviceMerge::MergePairs(room, bytes, d_a, d_va, count_a, d_b, d_vb, count_b,
                                            out, values_out, less());
    });
    MUST(fetched(out, merged.size()) == merged);
    MUST(fetched(values_out, values.size()) == values);
}

void runs_and_copies() {
    const std::vector<int> in{5, 5, 1, 7, 7, 7, 2, 9, 9};
    int* const d_in = device(in);
    int *const offsets = device(in), *const lengths = device(in), *const runs = device(in);
    call([&](void* room, std::size_t& bytes) {
        return cub::DeviceRunLengthEncode::NonTrivialRuns(room, bytes, d_in, offsets, lengths, runs,
                                                          static_cast<int>(in.size()));
    });
    MUST(fetched(runs, 1)[0] == 3);
    MUST((fetched(offsets, 3) == std::vector<int>{0, 3, 7}));
    MUST((fetched(lengths, 3) == std::vector<int>{2, 3, 2}));
    int* const to = device(std::vector<int>(in.size(), -1));
    const std::vector<int*> froms{d_in + 4, d_in}, tos{to, to + 5};
    int **const d_froms = device(froms), **const d_tos = device(tos);
    int* const sizes = device(std::vector<int>{3, 2});
    call([&](void* room, std::size_t& bytes) {
        return cub::DeviceCopy::Batched(room, bytes, d_froms, d_tos, sizes, 2);
    });
    MUST((fetched(to, in.size()) == std::vector<int>{7, 7, 2, -1, -1, 5, 5, -1, -1}));
    int* const flags = device(std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9});
    call([&](void* room, std::size_t& bytes) {
        return cub::DeviceSelect::FlaggedIf(room, bytes, d_in, flags, runs,
                                            static_cast<int>(in.size()), is_odd());
    });
    MUST(fetched(runs, 1)[0] == 5);
    MUST((fetched(d_in, 5) == std::vector<int>{5, 1, 7, 2, 9}));
    call([&](void* room, std::size_t& bytes) {
        return cub::DeviceFor::ForEachN(room, bytes, d_in, 3, twice());
    });
    MUST((fetched(d_in, 4) == std::vector<int>{10, 2, 14, 2}));
}

void segments() {
    const std::vector<int> in{4, 9, 9, 2, 7, 3, 3}, begins{0, 3, 3, 7};
    int *const d_in = device(in), *const d_begins = device(begins);
    using pair = cub::KeyValuePair<int, int>;
    pair* const out = device(std::vector<pair>(3));
    call([&](void* room, std::size_t& bytes) {
        return cub::DeviceSegmentedReduce::ArgMax(room, bytes, d_in, out, 3, d_begins,
                                                  d_begins + 1);
    });
    auto found = fetched(out, 3);
    MUST(found[0].key == 1 && found[0].value == 9 && found[2].key == 1 && found[2].value == 7);
    call([&](void* room, std::size_t& bytes) {
        return cub::DeviceSegmentedReduce::ArgMin(room, bytes, d_in, out, 3, d_begins,
                                                  d_begins + 1);
    });
    found = fetched(out, 3);
    MUST(found[0].key == 0 && found[0].value == 4 && found[2].key == 0 && found[2].value == 2);
}

void histograms() {
    // Two rows of 5 pixels with 4 channels each, of which 3 count; a row takes 24 bytes.
    constexpr int pixels = 5, rows = 2, stride = 24;
    std::vector<unsigned char> image(stride * rows);
    for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<unsigned char>(i * 23);
    int* bins[3];
    for (auto& b : bins) b = device(std::vector<int>(8));
    const int levels[3] = {5, 9, 3}, low[3] = {0, 0, 20}, high[3] = {256, 128, 200};
    unsigned char* const d_image = device(image);
    call([&](void* room, std::size_t& bytes) {
        return cub::DeviceHistogram::MultiHistogramEven<4, 3>(room, bytes, d_image, bins, levels,
                                                              low, high, pixels, rows, stride);
    });
    const std::vector<int> edges{10, 50, 90, 250};
    const auto sample = [&](int row, int pixel, int channel) {
        return static_cast<int>(image[row * stride + pixel * 4 + channel]);
    };
    for (int c = 0; c < 3; ++c) {
        std::vector<int> expected(levels[c] - 1);
        for (int r = 0; r < rows; ++r)
            for (int p = 0; p < pixels; ++p)
                if (const int v = sample(r, p, c); v >= low[c] && v < high[c])
                    ++expected[(v - low[c]) * (levels[c] - 1) / (high[c] - low[c])];
        MUST(fetched(bins[c], expected.size()) == expected);
    }
    const int edge_counts[1] = {4};
    const int* const d_edges[1] = {device(edges)};
    int* one[1] = {bins[0]};
    call([&](void* room, std::size_t& bytes) {
        return cub::DeviceHistogram::MultiHistogramRange<4, 1>(room, bytes, d_image, one,
                                                               edge_counts, d_edges, pixels);
    });
    std::vector<int> expected(3);
    for (int p = 0; p < pixels; ++p)
        for (int e = 0; e < 3; ++e)
            expected[e] += sample(0, p, 0) >= edges[e] && sample(0, p, 0) < edges[e + 1];
    MUST(fetched(bins[0], 3) == expected);
    call([&](void* room, std::size_t& bytes) {
        return cub::DeviceHistogram::HistogramEven(room, bytes, d_image, bins[0], 5, 0, 256,
                                                   pixels * 4, rows,
                                                   static_cast<std::size_t>(stride));
    });
    const auto all = fetched(bins[0], 4);
    MUST(std::accumulate(all.begin(), all.end(), 0) == pixels * 4 * rows);
}

__global__ void nothing() {}

int main() {
    nothing<<<1, 4096>>>();  // refused: the error is told once
    MUST(CubDebug(cudaSuccess) == cudaErrorInvalidConfiguration);
    OK(CubDebug(cudaSuccess));
    merges();
    runs_and_copies();
    segments();
    histograms();
    return verdict();
}
