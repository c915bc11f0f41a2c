// CUB's device-wide sorts: radix and merge sorts, also of segments.
#pragma once

#include <cuset_host/cub/device_algorithms.h>
#include <cuset_host/cub/block_sorts.h>

namespace cub {

struct DeviceMergeSort {
    template <class Keys, class N, class Less>
    static cudaError_t SortKeys(void* storage, std::size_t& bytes, Keys keys, N count, Less less,
                                cudaStream_t stream = nullptr) {
        return cuset_host::library_call(
            storage, bytes, stream, [=]() mutable { std::stable_sort(keys, keys + count, less); });
    }
    template <class Keys, class N, class Less>
    static cudaError_t StableSortKeys(void* storage, std::size_t& bytes, Keys keys, N count,
                                      Less less, cudaStream_t stream = nullptr) {
        return SortKeys(storage, bytes, keys, count, less, stream);
    }
    template <class In, class Out, class N, class Less>
    static cudaError_t StableSortKeysCopy(void* storage, std::size_t& bytes, In in, Out out,
                                          N count, Less less, cudaStream_t stream = nullptr) {
        return SortKeysCopy(storage, bytes, in, out, count, less, stream);
    }
    template <class In, class Out, class N, class Less>
    static cudaError_t SortKeysCopy(void* storage, std::size_t& bytes, In in, Out out, N count,
                                    Less less, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            std::vector<cuset_host::item_of<In>> keys(in, in + count);
            std::stable_sort(keys.begin(), keys.end(), less);
            std::copy(keys.begin(), keys.end(), out);
        });
    }
    template <class Keys, class Values, class N, class Less>
    static cudaError_t SortPairs(void* storage, std::size_t& bytes, Keys keys, Values values,
                                 N count, Less less, cudaStream_t stream = nullptr) {
        return SortPairsCopy(storage, bytes, keys, values, keys, values, count, less, stream);
    }
    template <class In, class Values_in, class Out, class Values_out, class N, class Less>
    static cudaError_t SortPairsCopy(void* storage, std::size_t& bytes, In in, Values_in values_in,
                                     Out out, Values_out values_out, N count, Less less,
                                     cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            const auto n = static_cast<std::size_t>(count);
            const std::vector<cuset_host::item_of<In>> keys(in, in + count);
            const std::vector<cuset_host::item_of<Values_in>> values(values_in, values_in + count);
            std::vector<std::size_t> order(n);
            std::iota(order.begin(), order.end(), std::size_t{0});
            std::stable_sort(order.begin(), order.end(),
                             [&](std::size_t a, std::size_t b) { return less(keys[a], keys[b]); });
            for (std::size_t i = 0; i < n; ++i) {
                out[i] = keys[order[i]];
                values_out[i] = values[order[i]];
            }
        });
    }
    template <class Keys, class Values, class N, class Less>
    static cudaError_t StableSortPairs(void* storage, std::size_t& bytes, Keys keys, Values values,
                                       N count, Less less, cudaStream_t stream = nullptr) {
        return SortPairs(storage, bytes, keys, values, count, less, stream);
    }
};

struct DeviceRadixSort {
    template <class K, class N>
    static cudaError_t SortKeys(void* storage, std::size_t& bytes, const K* in, K* out, N count,
                                int begin = 0, int end = 8 * sizeof(K),
                                cudaStream_t stream = nullptr) {
        return with_room(storage, bytes, count, sizeof(K), end - begin, [&] {
            return sort_keys<false>(storage, bytes, in, out, count, begin, end, stream);
        });
    }
    template <class K, class N>
    static cudaError_t SortKeysDescending(void* storage, std::size_t& bytes, const K* in, K* out,
                                          N count, int begin = 0, int end = 8 * sizeof(K),
                                          cudaStream_t stream = nullptr) {
        return with_room(storage, bytes, count, sizeof(K), end - begin, [&] {
            return sort_keys<true>(storage, bytes, in, out, count, begin, end, stream);
        });
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
        return with_room(storage, bytes, count, sizeof(K) + sizeof(V), end - begin, [&] {
            return sort_pairs<false>(storage, bytes, in, out, values_in, values_out, count, begin,
                                     end, stream);
        });
    }
    template <class K, class V, class N>
    static cudaError_t SortPairsDescending(void* storage, std::size_t& bytes, const K* in, K* out,
                                           const V* values_in, V* values_out, N count,
                                           int begin = 0, int end = 8 * sizeof(K),
                                           cudaStream_t stream = nullptr) {
        return with_room(storage, bytes, count, sizeof(K) + sizeof(V), end - begin, [&] {
            return sort_pairs<true>(storage, bytes, in, out, values_in, values_out, count, begin,
                                     end, stream);
        });
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
    /// A sort without a DoubleBuffer may not overwrite its input: from pass to pass CUB copies the
    /// items to its storage. A pass sorts up to 8 bits, and one block sorts few items in one pass.
    /// CUB asks for more than is asked for here.
    template <class N, class Sort>
    static cudaError_t with_room(void* storage, std::size_t& bytes, N count, std::size_t item_bytes,
                                 int bits, const Sort& sort) {
        constexpr std::size_t most_of_one_block = 16384;
        const auto items = count <= 0 ? std::size_t{0} : static_cast<std::size_t>(count);
        const std::size_t least = items <= most_of_one_block || bits <= 8 ? 1 : items * item_bytes;
        if (storage != nullptr && bytes >= least) return sort();
        if (storage != nullptr) return cudaErrorInvalidValue;
        bytes = least;
        return cudaSuccess;
    }
    template <bool Descending, class K, class N>
    static cudaError_t sort_keys(void* storage, std::size_t& bytes, const K* in, K* out, N count,
                                 int begin, int end, cudaStream_t stream) {
        return DeviceMergeSort::SortKeysCopy(storage, bytes, in, out, count,
                                             cuset_host::radix_order<K, Descending>{begin, end},
                                             stream);
    }
    template <bool Descending, class K, class V, class N>
    static cudaError_t sort_pairs(void* storage, std::size_t& bytes, const K* in, K* out,
                                  const V* values_in, V* values_out, N count, int begin, int end,
                                  cudaStream_t stream) {
        return DeviceMergeSort::SortPairsCopy(storage, bytes, in, values_in, out, values_out, count,
                                              cuset_host::radix_order<K, Descending>{begin, end},
                                              stream);
    }
};

/// Sorts of segments; what lies between them is left as it is.
struct DeviceSegmentedSort {
    template <class K, class Begin, class End>
    static cudaError_t SortKeys(void* storage, std::size_t& bytes, const K* in, K* out, long long,
                                long long segments, Begin begin, End end,
                                cudaStream_t stream = nullptr) {
        return sort(storage, bytes, in, out, segments, begin, end, stream,
                    cuset_host::radix_order<K, false>());
    }
    template <class K, class Begin, class End>
    static cudaError_t SortKeysDescending(void* storage, std::size_t& bytes, const K* in, K* out,
                                          long long, long long segments, Begin begin, End end,
                                          cudaStream_t stream = nullptr) {
        return sort(storage, bytes, in, out, segments, begin, end, stream,
                    cuset_host::radix_order<K, true>());
    }
    template <class K, class V, class Begin, class End>
    static cudaError_t SortPairs(void* storage, std::size_t& bytes, const K* in, K* out,
                                 const V* values_in, V* values_out, long long, long long segments,
                                 Begin begin, End end, cudaStream_t stream = nullptr) {
        return sort(storage, bytes, in, out, values_in, values_out, segments, begin, end, stream,
                    cuset_host::radix_order<K, false>());
    }
    template <class K, class V, class Begin, class End>
    static cudaError_t SortPairsDescending(void* storage, std::size_t& bytes, const K* in, K* out,
                                           const V* values_in, V* values_out, long long,
                                           long long segments, Begin begin, End end,
                                           cudaStream_t stream = nullptr) {
        return sort(storage, bytes, in, out, values_in, values_out, segments, begin, end, stream,
                    cuset_host::radix_order<K, true>());
    }

    template <class K, class Begin, class End>
    static cudaError_t SortKeys(void* storage, std::size_t& bytes, DoubleBuffer<K>& keys,
                                long long count, long long segments, Begin begin, End end,
                                cudaStream_t stream = nullptr) {
        return SortKeys(storage, bytes, keys.Current(), keys.Current(), count, segments, begin, end,
                        stream);
    }
    template <class... Rest>
    static cudaError_t StableSortKeys(void* storage, std::size_t& bytes, Rest&&... rest) {
        return SortKeys(storage, bytes, std::forward<Rest>(rest)...);
    }
    template <class K, class Begin, class End>
    static cudaError_t SortKeysDescending(void* storage, std::size_t& bytes, DoubleBuffer<K>& keys,
                                          long long count, long long segments, Begin begin, End end,
                                          cudaStream_t stream = nullptr) {
        return SortKeysDescending(storage, bytes, keys.Current(), keys.Current(), count, segments,
                                  begin, end, stream);
    }
    template <class... Rest>
    static cudaError_t StableSortKeysDescending(void* storage, std::size_t& bytes, Rest&&... rest) {
        return SortKeysDescending(storage, bytes, std::forward<Rest>(rest)...);
    }
    template <class K, class V, class Begin, class End>
    static cudaError_t SortPairs(void* storage, std::size_t& bytes, DoubleBuffer<K>& keys,
                                 DoubleBuffer<V>& values, long long count, long long segments,
                                 Begin begin, End end, cudaStream_t stream = nullptr) {
        return SortPairs(storage, bytes, keys.Current(), keys.Current(), values.Current(),
                         values.Current(), count, segments, begin, end, stream);
    }
    template <class... Rest>
    static cudaError_t StableSortPairs(void* storage, std::size_t& bytes, Rest&&... rest) {
        return SortPairs(storage, bytes, std::forward<Rest>(rest)...);
    }
    template <class K, class V, class Begin, class End>
    static cudaError_t SortPairsDescending(void* storage, std::size_t& bytes, DoubleBuffer<K>& keys,
                                           DoubleBuffer<V>& values, long long count,
                                           long long segments, Begin begin, End end,
                                           cudaStream_t stream = nullptr) {
        return SortPairsDescending(storage, bytes, keys.Current(), keys.Current(), values.Current(),
                                   values.Current(), count, segments, begin, end, stream);
    }
    template <class... Rest>
    static cudaError_t StableSortPairsDescending(void* storage, std::size_t& bytes,
                                                 Rest&&... rest) {
        return SortPairsDescending(storage, bytes, std::forward<Rest>(rest)...);
    }

protected:
    template <class K, class Begin, class End, class Less>
    static cudaError_t sort(void* storage, std::size_t& bytes, const K* in, K* out,
                            long long segments, Begin begin, End end, cudaStream_t stream,
                            Less less) {
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            for (long long s = 0; s < segments; ++s) {
                if (!(begin[s] < end[s])) continue;  // empty, as CUB has it
                std::copy(in + begin[s], in + end[s], out + begin[s]);
                std::stable_sort(out + begin[s], out + end[s], less);
            }
        });
    }
    template <class K, class V, class Begin, class End, class Less>
    static cudaError_t sort(void* storage, std::size_t& bytes, const K* in, K* out,
                            const V* values_in, V* values_out, long long segments, Begin begin,
                            End end, cudaStream_t stream, Less less) {
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            for (long long s = 0; s < segments; ++s) {
                std::vector<std::pair<K, V>> pairs;
                for (auto i = begin[s]; i < end[s]; ++i) pairs.emplace_back(in[i], values_in[i]);
                std::stable_sort(pairs.begin(), pairs.end(), [&](const auto& a, const auto& b) {
                    return less(a.first, b.first);
                });
                auto at = begin[s];
                for (const auto& [key, value] : pairs) {
                    out[at] = key;
                    values_out[at++] = value;
                }
            }
        });
    }
};

/// The same with an interval of the keys' bits.
struct DeviceSegmentedRadixSort : private DeviceSegmentedSort {
    template <class K, class Begin, class End>
    static cudaError_t SortKeys(void* storage, std::size_t& bytes, const K* in, K* out, long long,
                                long long segments, Begin begin, End end, int first = 0,
                                int last = 8 * sizeof(K), cudaStream_t stream = nullptr) {
        return sort(storage, bytes, in, out, segments, begin, end, stream,
                    cuset_host::radix_order<K, false>{first, last});
    }
    template <class K, class Begin, class End>
    static cudaError_t SortKeysDescending(void* storage, std::size_t& bytes, const K* in, K* out,
                                          long long, long long segments, Begin begin, End end,
                                          int first = 0, int last = 8 * sizeof(K),
                                          cudaStream_t stream = nullptr) {
        return sort(storage, bytes, in, out, segments, begin, end, stream,
                    cuset_host::radix_order<K, true>{first, last});
    }
    template <class K, class V, class Begin, class End>
    static cudaError_t SortPairs(void* storage, std::size_t& bytes, const K* in, K* out,
                                 const V* values_in, V* values_out, long long, long long segments,
                                 Begin begin, End end, int first = 0, int last = 8 * sizeof(K),
                                 cudaStream_t stream = nullptr) {
        return sort(storage, bytes, in, out, values_in, values_out, segments, begin, end, stream,
                    cuset_host::radix_order<K, false>{first, last});
    }
    template <class K, class V, class Begin, class End>
    static cudaError_t SortPairsDescending(void* storage, std::size_t& bytes, const K* in, K* out,
                                           const V* values_in, V* values_out, long long,
                                           long long segments, Begin begin, End end, int first = 0,
                                           int last = 8 * sizeof(K),
                                           cudaStream_t stream = nullptr) {
        return sort(storage, bytes, in, out, values_in, values_out, segments, begin, end, stream,
                    cuset_host::radix_order<K, true>{first, last});
    }
    template <class K, class Begin, class End>
    static cudaError_t SortKeys(void* storage, std::size_t& bytes, DoubleBuffer<K>& keys,
                                long long count, long long segments, Begin begin, End end,
                                int first = 0, int last = 8 * sizeof(K),
                                cudaStream_t stream = nullptr) {
        return SortKeys(storage, bytes, keys.Current(), keys.Current(), count, segments, begin, end,
                        first, last, stream);
    }
    template <class K, class Begin, class End>
    static cudaError_t SortKeysDescending(void* storage, std::size_t& bytes, DoubleBuffer<K>& keys,
                                          long long count, long long segments, Begin begin, End end,
                                          int first = 0, int last = 8 * sizeof(K),
                                          cudaStream_t stream = nullptr) {
        return SortKeysDescending(storage, bytes, keys.Current(), keys.Current(), count, segments,
                                  begin, end, first, last, stream);
    }
    template <class K, class V, class Begin, class End>
    static cudaError_t SortPairs(void* storage, std::size_t& bytes, DoubleBuffer<K>& keys,
                                 DoubleBuffer<V>& values, long long count, long long segments,
                                 Begin begin, End end, int first = 0, int last = 8 * sizeof(K),
                                 cudaStream_t stream = nullptr) {
        return SortPairs(storage, bytes, keys.Current(), keys.Current(), values.Current(),
                         values.Current(), count, segments, begin, end, first, last, stream);
    }
    template <class K, class V, class Begin, class End>
    static cudaError_t SortPairsDescending(void* storage, std::size_t& bytes, DoubleBuffer<K>& keys,
                                           DoubleBuffer<V>& values, long long count,
                                           long long segments, Begin begin, End end, int first = 0,
                                           int last = 8 * sizeof(K),
                                           cudaStream_t stream = nullptr) {
        return SortPairsDescending(storage, bytes, keys.Current(), keys.Current(), values.Current(),
                                   values.Current(), count, segments, begin, end, first, last,
                                   stream);
    }
};

}  // namespace cub
