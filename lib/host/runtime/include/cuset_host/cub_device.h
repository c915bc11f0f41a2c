// CUB's device-wide algorithms, as plain loops over device memory. Each counts as a kernel.
#pragma once

#include <cuset_host/cub_block.h>
#include <cuset_host/library_work.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <numeric>
#include <vector>

namespace cuset_host {

/// CUB's protocol: without temporary storage a call only tells how much it wants.
template <class Work>
cudaError_t library_call(void* storage, std::size_t& bytes, cudaStream_t stream, const Work& work) {
    if (storage == nullptr) {
        bytes = 1;
        return cudaSuccess;
    }
    const library_kernel running(stream);
    work();
    return cudaSuccess;
}

template <class In>
using item_of = std::decay_t<decltype(*std::declval<In&>())>;

}  // namespace cuset_host

namespace cub {

template <class T>
struct DoubleBuffer {
    T* d_buffers[2];
    int selector = 0;
    DoubleBuffer() : d_buffers{nullptr, nullptr} {}
    DoubleBuffer(T* current, T* other) : d_buffers{current, other} {}
    T* Current() { return d_buffers[selector]; }
    T* Alternate() { return d_buffers[selector ^ 1]; }
};

struct DeviceReduce {
    template <class In, class Out, class N, class Op, class T>
    static cudaError_t Reduce(void* storage, std::size_t& bytes, In in, Out out, N count, Op op,
                              T first, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [&] {
            T sum = first;
            for (N i = 0; i < count; ++i) sum = op(sum, in[i]);
            *out = sum;
        });
    }
    template <class In, class Out, class N, class Op, class Transform, class T>
    static cudaError_t TransformReduce(void* storage, std::size_t& bytes, In in, Out out, N count,
                                       Op op, Transform transform, T first,
                                       cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [&] {
            T sum = first;
            for (N i = 0; i < count; ++i) sum = op(sum, transform(in[i]));
            *out = sum;
        });
    }
    template <class In, class Out, class N>
    static cudaError_t Sum(void* storage, std::size_t& bytes, In in, Out out, N count,
                           cudaStream_t stream = nullptr) {
        using T = cuset_host::item_of<In>;
        return Reduce(storage, bytes, in, out, count, cub::Sum(), T(), stream);
    }
    template <class In, class Out, class N>
    static cudaError_t Min(void* storage, std::size_t& bytes, In in, Out out, N count,
                           cudaStream_t stream = nullptr) {
        using T = cuset_host::item_of<In>;
        return Reduce(storage, bytes, in, out, count, cub::Min(), std::numeric_limits<T>::max(),
                      stream);
    }
    template <class In, class Out, class N>
    static cudaError_t Max(void* storage, std::size_t& bytes, In in, Out out, N count,
                           cudaStream_t stream = nullptr) {
        using T = cuset_host::item_of<In>;
        return Reduce(storage, bytes, in, out, count, cub::Max(), std::numeric_limits<T>::lowest(),
                      stream);
    }
    template <class In, class Out, class N>
    static cudaError_t ArgMin(void* storage, std::size_t& bytes, In in, Out out, N count,
                              cudaStream_t stream = nullptr) {
        return best(storage, bytes, in, out, count, stream,
                    [](const auto& a, const auto& b) { return a < b; });
    }
    template <class In, class Out, class N>
    static cudaError_t ArgMax(void* storage, std::size_t& bytes, In in, Out out, N count,
                              cudaStream_t stream = nullptr) {
        return best(storage, bytes, in, out, count, stream,
                    [](const auto& a, const auto& b) { return b < a; });
    }
    template <class Keys, class Unique, class Values, class Sums, class Count, class Op, class N>
    static cudaError_t ReduceByKey(void* storage, std::size_t& bytes, Keys keys, Unique unique,
                                   Values values, Sums sums, Count runs, Op op, N count,
                                   cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [&] {
            N found = 0;
            for (N i = 0; i < count; ++i) {
                if (i == 0 || !(keys[i] == keys[i - 1])) {
                    unique[found] = keys[i];
                    sums[found] = values[i];
                    ++found;
                } else {
                    sums[found - 1] = op(sums[found - 1], values[i]);
                }
            }
            *runs = found;
        });
    }

private:
    template <class In, class Out, class N, class Less>
    static cudaError_t best(void* storage, std::size_t& bytes, In in, Out out, N count,
                            cudaStream_t stream, Less less) {
        return cuset_host::library_call(storage, bytes, stream, [&] {
            N place = 0;
            for (N i = 1; i < count; ++i)
                if (less(in[i], in[place])) place = i;
            out->key = place;
            out->value = in[place];
        });
    }
};

struct DeviceScan {
    template <class In, class Out, class Op, class T, class N>
    static cudaError_t ExclusiveScan(void* storage, std::size_t& bytes, In in, Out out, Op op,
                                     T first, N count, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [&] {
            T sum = first;
            for (N i = 0; i < count; ++i) {
                const T next = op(sum, in[i]);
                out[i] = sum;
                sum = next;
            }
        });
    }
    template <class In, class Out, class Op, class N>
    static cudaError_t InclusiveScan(void* storage, std::size_t& bytes, In in, Out out, Op op,
                                     N count, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [&] {
            if (count <= 0) return;
            cuset_host::item_of<In> sum = in[0];
            out[0] = sum;
            for (N i = 1; i < count; ++i) out[i] = sum = op(sum, in[i]);
        });
    }
    template <class In, class Out, class N>
    static cudaError_t ExclusiveSum(void* storage, std::size_t& bytes, In in, Out out, N count,
                                    cudaStream_t stream = nullptr) {
        return ExclusiveScan(storage, bytes, in, out, cub::Sum(), cuset_host::item_of<In>(), count,
                             stream);
    }
    template <class In, class Out, class N>
    static cudaError_t InclusiveSum(void* storage, std::size_t& bytes, In in, Out out, N count,
                                    cudaStream_t stream = nullptr) {
        return InclusiveScan(storage, bytes, in, out, cub::Sum(), count, stream);
    }
    template <class In, class Out, class Op, class T, class N>
    static cudaError_t InclusiveScanInit(void* storage, std::size_t& bytes, In in, Out out, Op op,
                                         T first, N count, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [&] {
            T sum = first;
            for (N i = 0; i < count; ++i) {
                sum = op(sum, in[i]);
                out[i] = sum;
            }
        });
    }
    template <class Keys, class In, class Out, class N>
    static cudaError_t InclusiveSumByKey(void* storage, std::size_t& bytes, Keys keys, In in,
                                         Out out, N count) {
        return cuset_host::library_call(storage, bytes, nullptr, [&] {
            cuset_host::item_of<In> sum{};
            for (N i = 0; i < count; ++i) {
                const bool begins = i == 0 || !(keys[i] == keys[i - 1]);
                sum = begins ? in[i] : sum + in[i];
                out[i] = sum;
            }
        });
    }
    template <class Keys, class In, class Out, class N>
    static cudaError_t ExclusiveSumByKey(void* storage, std::size_t& bytes, Keys keys, In in,
                                         Out out, N count) {
        return cuset_host::library_call(storage, bytes, nullptr, [&] {
            cuset_host::item_of<In> sum{};
            for (N i = 0; i < count; ++i) {
                if (i == 0 || !(keys[i] == keys[i - 1])) sum = {};
                const cuset_host::item_of<In> own = in[i];
                out[i] = sum;
                sum = sum + own;
            }
        });
    }
};

struct DeviceRadixSort {
    template <class K, class N>
    static cudaError_t SortKeys(void* storage, std::size_t& bytes, const K* in, K* out, N count,
                                int begin = 0, int end = 8 * sizeof(K),
                                cudaStream_t stream = nullptr) {
        return sort_keys<false>(storage, bytes, in, out, count, begin, end, stream);
    }
    template <class K, class N>
    static cudaError_t SortKeysDescending(void* storage, std::size_t& bytes, const K* in, K* out,
                                          N count, int begin = 0, int end = 8 * sizeof(K),
                                          cudaStream_t stream = nullptr) {
        return sort_keys<true>(storage, bytes, in, out, count, begin, end, stream);
    }
    template <class K, class N>
    static cudaError_t SortKeys(void* storage, std::size_t& bytes, DoubleBuffer<K>& keys, N count,
                                int begin = 0, int end = 8 * sizeof(K),
                                cudaStream_t stream = nullptr) {
        return sort_keys<false>(storage, bytes, keys.Current(), keys.Current(), count, begin, end,
                                stream);
    }
    template <class K, class N>
    static cudaError_t SortKeysDescending(void* storage, std::size_t& bytes, DoubleBuffer<K>& keys,
                                          N count, int begin = 0, int end = 8 * sizeof(K),
                                          cudaStream_t stream = nullptr) {
        return sort_keys<true>(storage, bytes, keys.Current(), keys.Current(), count, begin, end,
                               stream);
    }
    template <class K, class V, class N>
    static cudaError_t SortPairs(void* storage, std::size_t& bytes, const K* in, K* out,
                                 const V* values_in, V* values_out, N count, int begin = 0,
                                 int end = 8 * sizeof(K), cudaStream_t stream = nullptr) {
        return sort_pairs<false>(storage, bytes, in, out, values_in, values_out, count, begin, end,
                                 stream);
    }
    template <class K, class V, class N>
    static cudaError_t SortPairsDescending(void* storage, std::size_t& bytes, const K* in, K* out,
                                           const V* values_in, V* values_out, N count,
                                           int begin = 0, int end = 8 * sizeof(K),
                                           cudaStream_t stream = nullptr) {
        return sort_pairs<true>(storage, bytes, in, out, values_in, values_out, count, begin, end,
                                stream);
    }
    template <class K, class V, class N>
    static cudaError_t SortPairs(void* storage, std::size_t& bytes, DoubleBuffer<K>& keys,
                                 DoubleBuffer<V>& values, N count, int begin = 0,
                                 int end = 8 * sizeof(K), cudaStream_t stream = nullptr) {
        return sort_pairs<false>(storage, bytes, keys.Current(), keys.Current(), values.Current(),
                                 values.Current(), count, begin, end, stream);
    }
    template <class K, class V, class N>
    static cudaError_t SortPairsDescending(void* storage, std::size_t& bytes, DoubleBuffer<K>& keys,
                                           DoubleBuffer<V>& values, N count, int begin = 0,
                                           int end = 8 * sizeof(K), cudaStream_t stream = nullptr) {
        return sort_pairs<true>(storage, bytes, keys.Current(), keys.Current(), values.Current(),
                                values.Current(), count, begin, end, stream);
    }

private:
    /// Part of the bits only where the key is an unsigned integer.
    template <class K>
    static bool is_less(const K& a, const K& b, int begin, int end) {
        if constexpr (std::is_unsigned_v<K>) {
            const int width = end - begin;
            const K mask = width >= static_cast<int>(8 * sizeof(K))
                               ? static_cast<K>(~K())
                               : static_cast<K>((K(1) << width) - 1);
            return static_cast<K>((a >> begin) & mask) < static_cast<K>((b >> begin) & mask);
        } else {
            return a < b;
        }
    }
    template <bool Descending, class K, class N>
    static cudaError_t sort_keys(void* storage, std::size_t& bytes, const K* in, K* out, N count,
                                 int begin, int end, cudaStream_t stream) {
        return cuset_host::library_call(storage, bytes, stream, [&] {
            if (in != out) std::copy(in, in + count, out);
            std::stable_sort(out, out + count, [&](const K& a, const K& b) {
                return Descending ? is_less(b, a, begin, end) : is_less(a, b, begin, end);
            });
        });
    }
    template <bool Descending, class K, class V, class N>
    static cudaError_t sort_pairs(void* storage, std::size_t& bytes, const K* in, K* out,
                                  const V* values_in, V* values_out, N count, int begin, int end,
                                  cudaStream_t stream) {
        return cuset_host::library_call(storage, bytes, stream, [&] {
            const auto n = static_cast<std::size_t>(count);
            const std::vector<K> keys(in, in + n);
            const std::vector<V> values(values_in, values_in + n);
            std::vector<std::size_t> order(n);
            std::iota(order.begin(), order.end(), std::size_t{0});
            std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
                return Descending ? is_less(keys[b], keys[a], begin, end)
                                  : is_less(keys[a], keys[b], begin, end);
            });
            for (std::size_t i = 0; i < n; ++i) {
                out[i] = keys[order[i]];
                values_out[i] = values[order[i]];
            }
        });
    }
};

struct DeviceSelect {
    template <class In, class Out, class Count, class N, class Op>
    static cudaError_t If(void* storage, std::size_t& bytes, In in, Out out, Count selected,
                          N count, Op op, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [&] {
            N found = 0;
            for (N i = 0; i < count; ++i)
                if (op(in[i])) out[found++] = in[i];
            *selected = found;
        });
    }
    template <class In, class Flags, class Out, class Count, class N>
    static cudaError_t Flagged(void* storage, std::size_t& bytes, In in, Flags flags, Out out,
                               Count selected, N count, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [&] {
            N found = 0;
            for (N i = 0; i < count; ++i)
                if (flags[i]) out[found++] = in[i];
            *selected = found;
        });
    }
    template <class In, class Out, class Count, class N>
    static cudaError_t Unique(void* storage, std::size_t& bytes, In in, Out out, Count selected,
                              N count, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [&] {
            N found = 0;
            for (N i = 0; i < count; ++i)
                if (i == 0 || !(in[i] == in[i - 1])) out[found++] = in[i];
            *selected = found;
        });
    }
    template <class Keys, class Values, class Keys_out, class Values_out, class Count, class N>
    static cudaError_t UniqueByKey(void* storage, std::size_t& bytes, Keys keys, Values values,
                                   Keys_out keys_out, Values_out values_out, Count selected,
                                   N count, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [&] {
            N found = 0;
            for (N i = 0; i < count; ++i) {
                if (i > 0 && keys[i] == keys[i - 1]) continue;
                keys_out[found] = keys[i];
                values_out[found++] = values[i];
            }
            *selected = found;
        });
    }
};

struct DevicePartition {
    /// The others follow from the end, in reverse.
    template <class In, class Out, class Count, class N, class Op>
    static cudaError_t If(void* storage, std::size_t& bytes, In in, Out out, Count selected,
                          N count, Op op, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [&] {
            N found = 0, last = count;
            for (N i = 0; i < count; ++i) out[op(in[i]) ? found++ : --last] = in[i];
            *selected = found;
        });
    }
    template <class In, class Flags, class Out, class Count, class N>
    static cudaError_t Flagged(void* storage, std::size_t& bytes, In in, Flags flags, Out out,
                               Count selected, N count, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [&] {
            N found = 0, last = count;
            for (N i = 0; i < count; ++i) out[flags[i] ? found++ : --last] = in[i];
            *selected = found;
        });
    }
};

struct DeviceRunLengthEncode {
    template <class In, class Unique, class Lengths, class Count, class N>
    static cudaError_t Encode(void* storage, std::size_t& bytes, In in, Unique unique,
                              Lengths lengths, Count runs, N count, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [&] {
            N found = 0;
            for (N i = 0; i < count; ++i) {
                if (i == 0 || !(in[i] == in[i - 1])) {
                    unique[found] = in[i];
                    lengths[found++] = 0;
                }
                lengths[found - 1] += 1;
            }
            *runs = found;
        });
    }
};

struct DeviceHistogram {
    template <class In, class Bin, class Level, class N>
    static cudaError_t HistogramEven(void* storage, std::size_t& bytes, In in, Bin* bins,
                                     int levels, Level low, Level high, N count,
                                     cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [&] {
            for (int b = 0; b + 1 < levels; ++b) bins[b] = 0;
            for (N i = 0; i < count; ++i) {
                const auto value = static_cast<Level>(in[i]);
                if (value < low || !(value < high)) continue;
                const auto bin = static_cast<int>((value - low) * (levels - 1) / (high - low));
                ++bins[bin];
            }
        });
    }
    template <class In, class Bin, class Level, class N>
    static cudaError_t HistogramRange(void* storage, std::size_t& bytes, In in, Bin* bins,
                                      int levels, const Level* edges, N count,
                                      cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [&] {
            for (int b = 0; b + 1 < levels; ++b) bins[b] = 0;
            for (N i = 0; i < count; ++i) {
                const Level* above =
                    std::upper_bound(edges, edges + levels, static_cast<Level>(in[i]));
                if (above != edges && above != edges + levels) ++bins[above - edges - 1];
            }
        });
    }
};

struct DeviceSegmentedReduce {
    template <class In, class Out, class Begin, class End, class Op, class T>
    static cudaError_t Reduce(void* storage, std::size_t& bytes, In in, Out out, int segments,
                              Begin begin, End end, Op op, T first, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [&] {
            for (int s = 0; s < segments; ++s) {
                T sum = first;
                for (auto i = begin[s]; i < end[s]; ++i) sum = op(sum, in[i]);
                out[s] = sum;
            }
        });
    }
    template <class In, class Out, class Begin, class End>
    static cudaError_t Sum(void* storage, std::size_t& bytes, In in, Out out, int segments,
                           Begin begin, End end, cudaStream_t stream = nullptr) {
        return Reduce(storage, bytes, in, out, segments, begin, end, cub::Sum(),
                      cuset_host::item_of<In>(), stream);
    }
    template <class In, class Out, class Begin, class End>
    static cudaError_t Max(void* storage, std::size_t& bytes, In in, Out out, int segments,
                           Begin begin, End end, cudaStream_t stream = nullptr) {
        using T = cuset_host::item_of<In>;
        return Reduce(storage, bytes, in, out, segments, begin, end, cub::Max(),
                      std::numeric_limits<T>::lowest(), stream);
    }
    template <class In, class Out, class Begin, class End>
    static cudaError_t Min(void* storage, std::size_t& bytes, In in, Out out, int segments,
                           Begin begin, End end, cudaStream_t stream = nullptr) {
        using T = cuset_host::item_of<In>;
        return Reduce(storage, bytes, in, out, segments, begin, end, cub::Min(),
                      std::numeric_limits<T>::max(), stream);
    }
};

}  // namespace cub
