// CUB's device-wide histograms: of samples in a row or in rows, with one or more channels.
#pragma once

#include <cuset_host/cub/device_algorithms.h>

#include <array>

namespace cuset_host {

/// The bin of a value among equal ones from `low` up to `high`, or -1.
template <class Value, class Level>
long long even_bin(const Value& in, int levels, const Level& low, const Level& high) {
    using T = std::common_type_t<Level, Value>;
    const T value = static_cast<T>(in), least = static_cast<T>(low), most = static_cast<T>(high);
    if (value < least || !(value < most)) return -1;
    if constexpr (std::is_integral_v<T>) {
        using wide = unsigned long long;  // a difference may be too large for T
        const wide from_least = static_cast<wide>(value) - static_cast<wide>(least);
        const wide width = static_cast<wide>(most) - static_cast<wide>(least);
        return static_cast<long long>(from_least * static_cast<wide>(levels - 1) / width);
    } else {
        const T bins_in_one = static_cast<T>(levels - 1) / (most - least);
        return std::min(static_cast<int>((value - least) * bins_in_one), levels - 2);
    }
}

/// The bin of a value among those with these edges, or -1.
template <class Value, class Level>
long long range_bin(const Value& in, int levels, const Level* edges) {
    const Level* above = std::upper_bound(edges, edges + levels, static_cast<Level>(in));
    return above == edges + levels ? -1 : above - edges - 1;
}

/// A copy of the first elements of an array; of a null pointer zeros.
template <std::size_t Count, class List>
auto first_of(const List& list) {
    std::array<std::decay_t<decltype(list[0])>, Count> copy{};
    if (&list[0] != nullptr) std::copy_n(&list[0], Count, copy.begin());
    return copy;
}

/// Rows of pixels, `stride` bytes apart.
template <class In, class N>
struct sample_rows {
    In in;
    N pixels, rows;
    std::size_t stride;

    /// Counts the samples of one channel of `channels`.
    template <class Bin, class BinOf>
    void count(int channels, int channel, Bin* bins, int levels, const BinOf& bin_of) const {
        for (int b = 0; b + 1 < levels; ++b) bins[b] = 0;
        const std::size_t items = stride / sizeof(item_of<In>);
        for (N r = 0; r < rows; ++r)
            for (N p = 0; p < pixels; ++p) {
                const std::size_t at = static_cast<std::size_t>(r) * items +
                                       static_cast<std::size_t>(p * channels + channel);
                if (const long long bin = bin_of(in[at]); bin >= 0) ++bins[bin];
            }
    }
};

}  // namespace cuset_host

namespace cub {

struct DeviceHistogram {
    template <class In, class Bin, class Level, class N>
    static cudaError_t HistogramEven(void* storage, std::size_t& bytes, In in, Bin* bins,
                                     int levels, Level low, Level high, N count,
                                     cudaStream_t stream = nullptr) {
        return HistogramEven(storage, bytes, in, bins, levels, low, high, count, N(1),
                             std::size_t{0}, stream);
    }
    template <class In, class Bin, class Level, class N>
    static cudaError_t HistogramEven(void* storage, std::size_t& bytes, In in, Bin* bins,
                                     int levels, Level low, Level high, N row, N rows,
                                     std::size_t stride, cudaStream_t stream = nullptr) {
        Bin* const all_bins[] = {bins};
        const int all_levels[] = {levels};
        const Level lows[] = {low}, highs[] = {high};
        return MultiHistogramEven<1, 1>(storage, bytes, in, all_bins, all_levels, lows, highs, row,
                                        rows, stride, stream);
    }
    template <class In, class Bin, class Level, class N>
    static cudaError_t HistogramRange(void* storage, std::size_t& bytes, In in, Bin* bins,
                                      int levels, const Level* edges, N count,
                                      cudaStream_t stream = nullptr) {
        return HistogramRange(storage, bytes, in, bins, levels, edges, count, N(1), std::size_t{0},
                              stream);
    }
    template <class In, class Bin, class Level, class N>
    static cudaError_t HistogramRange(void* storage, std::size_t& bytes, In in, Bin* bins,
                                      int levels, const Level* edges, N row, N rows,
                                      std::size_t stride, cudaStream_t stream = nullptr) {
        Bin* const all_bins[] = {bins};
        const int all_levels[] = {levels};
        const Level* const all_edges[] = {edges};
        return MultiHistogramRange<1, 1>(storage, bytes, in, all_bins, all_levels, all_edges, row,
                                         rows, stride, stream);
    }
    /// Arrays, of which the first Active channels count.
    template <int Channels, int Active, class In, class Bins, class Levels, class Lows, class Highs,
              class N>
    static cudaError_t MultiHistogramEven(void* storage, std::size_t& bytes, In in, Bins&& bins,
                                          Levels&& levels, Lows&& low, Highs&& high, N pixels,
                                          cudaStream_t stream = nullptr) {
        return MultiHistogramEven<Channels, Active>(storage, bytes, in, bins, levels, low, high,
                                                    pixels, N(1), std::size_t{0}, stream);
    }
    template <int Channels, int Active, class In, class Bins, class Levels, class Lows, class Highs,
              class N>
    static cudaError_t MultiHistogramEven(void* storage, std::size_t& bytes, In in, Bins&& bins,
                                          Levels&& levels, Lows&& low, Highs&& high, N row, N rows,
                                          std::size_t stride, cudaStream_t stream = nullptr) {
        // The arrays may be gone when a graph runs.
        return cuset_host::library_call(
            storage, bytes, stream,
            [=, bins = cuset_host::first_of<Active>(bins),
             levels = cuset_host::first_of<Active>(levels), low = cuset_host::first_of<Active>(low),
             high = cuset_host::first_of<Active>(high)]() mutable {
                const cuset_host::sample_rows<In, N> samples{in, row, rows, stride};
                for (std::size_t c = 0; c < Active; ++c)
                    samples.count(
                        Channels, static_cast<int>(c), bins[c], levels[c], [&](const auto& value) {
                            return cuset_host::even_bin(value, levels[c], low[c], high[c]);
                        });
            });
    }
    template <int Channels, int Active, class In, class Bins, class Levels, class Edges, class N>
    static cudaError_t MultiHistogramRange(void* storage, std::size_t& bytes, In in, Bins&& bins,
                                           Levels&& levels, Edges&& edges, N pixels,
                                           cudaStream_t stream = nullptr) {
        return MultiHistogramRange<Channels, Active>(storage, bytes, in, bins, levels, edges,
                                                     pixels, N(1), std::size_t{0}, stream);
    }
    template <int Channels, int Active, class In, class Bins, class Levels, class Edges, class N>
    static cudaError_t MultiHistogramRange(void* storage, std::size_t& bytes, In in, Bins&& bins,
                                           Levels&& levels, Edges&& edges, N row, N rows,
                                           std::size_t stride, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(
            storage, bytes, stream,
            [=, bins = cuset_host::first_of<Active>(bins),
             levels = cuset_host::first_of<Active>(levels),
             edges = cuset_host::first_of<Active>(edges)]() mutable {
                const cuset_host::sample_rows<In, N> samples{in, row, rows, stride};
                for (std::size_t c = 0; c < Active; ++c)
                    samples.count(Channels, static_cast<int>(c), bins[c], levels[c],
                                  [&](const auto& value) {
                                      return cuset_host::range_bin(value, levels[c], edges[c]);
                                  });
            });
    }
};

}  // namespace cub
