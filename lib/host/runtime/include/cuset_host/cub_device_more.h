// CUB's less common device-wide algorithms, its iterators and its allocator.
#pragma once

#include <cuset_host/cub_device.h>

#include <functional>

namespace cub {

namespace details {
struct minus {
    template <class A, class B>
    auto operator()(const A& a, const B& b) const {
        return a - b;
    }
};
}  // namespace details

struct DeviceMergeSort {
    template <class Keys, class N, class Less>
    static cudaError_t SortKeys(void* storage, std::size_t& bytes, Keys keys, N count, Less less,
                                cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream,
                                        [&] { std::stable_sort(keys, keys + count, less); });
    }
    template <class Keys, class N, class Less>
    static cudaError_t StableSortKeys(void* storage, std::size_t& bytes, Keys keys, N count,
                                      Less less, cudaStream_t stream = nullptr) {
        return SortKeys(storage, bytes, keys, count, less, stream);
    }
    template <class In, class Out, class N, class Less>
    static cudaError_t SortKeysCopy(void* storage, std::size_t& bytes, In in, Out out, N count,
                                    Less less, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [&] {
            std::vector<cuset_host::item_of<In>> keys(in, in + count);
            std::stable_sort(keys.begin(), keys.end(), less);
            std::copy(keys.begin(), keys.end(), out);
        });
    }
    template <class Keys, class Values, class N, class Less>
    static cudaError_t SortPairs(void* storage, std::size_t& bytes, Keys keys, Values values,
                                 N count, Less less, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [&] {
            const auto n = static_cast<std::size_t>(count);
            const std::vector<cuset_host::item_of<Keys>> old_keys(keys, keys + count);
            const std::vector<cuset_host::item_of<Values>> old_values(values, values + count);
            std::vector<std::size_t> order(n);
            std::iota(order.begin(), order.end(), std::size_t{0});
            std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
                return less(old_keys[a], old_keys[b]);
            });
            for (std::size_t i = 0; i < n; ++i) {
                keys[i] = old_keys[order[i]];
                values[i] = old_values[order[i]];
            }
        });
    }
    template <class Keys, class Values, class N, class Less>
    static cudaError_t StableSortPairs(void* storage, std::size_t& bytes, Keys keys, Values values,
                                       N count, Less less, cudaStream_t stream = nullptr) {
        return SortPairs(storage, bytes, keys, values, count, less, stream);
    }
};

/// Sorts of segments; what lies between them is left as it is.
struct DeviceSegmentedSort {
    template <class K, class Begin, class End>
    static cudaError_t SortKeys(void* storage, std::size_t& bytes, const K* in, K* out, long long,
                                long long segments, Begin begin, End end,
                                cudaStream_t stream = nullptr) {
        return sort(storage, bytes, in, out, segments, begin, end, stream, std::less<K>());
    }
    template <class K, class Begin, class End>
    static cudaError_t SortKeysDescending(void* storage, std::size_t& bytes, const K* in, K* out,
                                          long long, long long segments, Begin begin, End end,
                                          cudaStream_t stream = nullptr) {
        return sort(storage, bytes, in, out, segments, begin, end, stream, std::greater<K>());
    }
    template <class K, class V, class Begin, class End>
    static cudaError_t SortPairs(void* storage, std::size_t& bytes, const K* in, K* out,
                                 const V* values_in, V* values_out, long long, long long segments,
                                 Begin begin, End end, cudaStream_t stream = nullptr) {
        return sort(storage, bytes, in, out, values_in, values_out, segments, begin, end, stream,
                    std::less<K>());
    }
    template <class K, class V, class Begin, class End>
    static cudaError_t SortPairsDescending(void* storage, std::size_t& bytes, const K* in, K* out,
                                           const V* values_in, V* values_out, long long,
                                           long long segments, Begin begin, End end,
                                           cudaStream_t stream = nullptr) {
        return sort(storage, bytes, in, out, values_in, values_out, segments, begin, end, stream,
                    std::greater<K>());
    }

protected:
    template <class K, class Begin, class End, class Less>
    static cudaError_t sort(void* storage, std::size_t& bytes, const K* in, K* out,
                            long long segments, Begin begin, End end, cudaStream_t stream,
                            Less less) {
        return cuset_host::library_call(storage, bytes, stream, [&] {
            for (long long s = 0; s < segments; ++s) {
                std::copy(in + begin[s], in + end[s], out + begin[s]);
                std::stable_sort(out + begin[s], out + end[s], less);
            }
        });
    }
    template <class K, class V, class Begin, class End, class Less>
    static cudaError_t sort(void* storage, std::size_t& bytes, const K* in, K* out,
                            const V* values_in, V* values_out, long long segments, Begin begin,
                            End end, cudaStream_t stream, Less less) {
        return cuset_host::library_call(storage, bytes, stream, [&] {
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

/// The same with an interval of the keys' bits, which here has to be all of them.
struct DeviceSegmentedRadixSort : private DeviceSegmentedSort {
    template <class K, class Begin, class End>
    static cudaError_t SortKeys(void* storage, std::size_t& bytes, const K* in, K* out, long long,
                                long long segments, Begin begin, End end, int first = 0,
                                int last = 8 * sizeof(K), cudaStream_t stream = nullptr) {
        want_all<K>(first, last);
        return sort(storage, bytes, in, out, segments, begin, end, stream, std::less<K>());
    }
    template <class K, class Begin, class End>
    static cudaError_t SortKeysDescending(void* storage, std::size_t& bytes, const K* in, K* out,
                                          long long, long long segments, Begin begin, End end,
                                          int first = 0, int last = 8 * sizeof(K),
                                          cudaStream_t stream = nullptr) {
        want_all<K>(first, last);
        return sort(storage, bytes, in, out, segments, begin, end, stream, std::greater<K>());
    }
    template <class K, class V, class Begin, class End>
    static cudaError_t SortPairs(void* storage, std::size_t& bytes, const K* in, K* out,
                                 const V* values_in, V* values_out, long long, long long segments,
                                 Begin begin, End end, int first = 0, int last = 8 * sizeof(K),
                                 cudaStream_t stream = nullptr) {
        want_all<K>(first, last);
        return sort(storage, bytes, in, out, values_in, values_out, segments, begin, end, stream,
                    std::less<K>());
    }
    template <class K, class V, class Begin, class End>
    static cudaError_t SortPairsDescending(void* storage, std::size_t& bytes, const K* in, K* out,
                                           const V* values_in, V* values_out, long long,
                                           long long segments, Begin begin, End end, int first = 0,
                                           int last = 8 * sizeof(K),
                                           cudaStream_t stream = nullptr) {
        want_all<K>(first, last);
        return sort(storage, bytes, in, out, values_in, values_out, segments, begin, end, stream,
                    std::greater<K>());
    }

private:
    template <class K>
    static void want_all(int first, int last) {
        if (first != 0 || last != static_cast<int>(8 * sizeof(K)))
            cuset_host::unmodelled("cub::DeviceSegmentedRadixSort with some of the bits");
    }
};

/// Calls, which here run on the host in turn.
struct DeviceFor {
    template <class N, class Op>
    static cudaError_t Bulk(N count, Op op, cudaStream_t stream = nullptr) {
        const cuset_host::library_kernel running(stream);
        for (N i = 0; i < count; ++i) op(i);
        return cudaSuccess;
    }
    template <class N, class Op>
    static cudaError_t Bulk(void* storage, std::size_t& bytes, N count, Op op,
                            cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [&] {
            for (N i = 0; i < count; ++i) op(i);
        });
    }
    template <class In, class Op>
    static cudaError_t ForEach(In first, In last, Op op, cudaStream_t stream = nullptr) {
        const cuset_host::library_kernel running(stream);
        for (; first != last; ++first) op(*first);
        return cudaSuccess;
    }
    template <class In, class N, class Op>
    static cudaError_t ForEachN(In first, N count, Op op, cudaStream_t stream = nullptr) {
        return ForEach(first, first + count, op, stream);
    }
    template <class In, class Op>
    static cudaError_t ForEachCopy(In first, In last, Op op, cudaStream_t stream = nullptr) {
        return ForEach(first, last, op, stream);
    }
    template <class In, class N, class Op>
    static cudaError_t ForEachCopyN(In first, N count, Op op, cudaStream_t stream = nullptr) {
        return ForEach(first, first + count, op, stream);
    }
};

struct DeviceAdjacentDifference {
    template <class In, class Out, class N, class Op = details::minus>
    static cudaError_t SubtractLeftCopy(void* storage, std::size_t& bytes, In in, Out out, N count,
                                        Op op = {}, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [&] {
            for (N i = count; i-- > 0;)
                out[i] =
                    i == 0 ? static_cast<cuset_host::item_of<Out>>(in[0]) : op(in[i], in[i - 1]);
        });
    }
    template <class In, class N, class Op = details::minus>
    static cudaError_t SubtractLeft(void* storage, std::size_t& bytes, In in, N count, Op op = {},
                                    cudaStream_t stream = nullptr) {
        return SubtractLeftCopy(storage, bytes, in, in, count, op, stream);
    }
    template <class In, class Out, class N, class Op = details::minus>
    static cudaError_t SubtractRightCopy(void* storage, std::size_t& bytes, In in, Out out, N count,
                                         Op op = {}, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [&] {
            for (N i = 0; i < count; ++i)
                out[i] = i + 1 == count ? static_cast<cuset_host::item_of<Out>>(in[i])
                                        : op(in[i], in[i + 1]);
        });
    }
    template <class In, class N, class Op = details::minus>
    static cudaError_t SubtractRight(void* storage, std::size_t& bytes, In in, N count, Op op = {},
                                     cudaStream_t stream = nullptr) {
        return SubtractRightCopy(storage, bytes, in, in, count, op, stream);
    }
};

struct DeviceTransform {
    template <class In, class Out, class N, class Op>
    static cudaError_t Transform(In in, Out out, N count, Op op, cudaStream_t stream = nullptr) {
        const cuset_host::library_kernel running(stream);
        for (N i = 0; i < count; ++i) out[i] = op(in[i]);
        return cudaSuccess;
    }
};

struct DeviceMemcpy {
    template <class From, class To, class Sizes>
    static cudaError_t Batched(void* storage, std::size_t& bytes, From from, To to, Sizes sizes,
                               long long count, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [&] {
            for (long long i = 0; i < count; ++i) std::memcpy(to[i], from[i], sizes[i]);
        });
    }
};

// Iterators, of versions of CUB before 3.

template <class T, class Offset = std::ptrdiff_t>
class CountingInputIterator {
public:
    using value_type = T;
    using difference_type = Offset;
    using reference = T;
    using pointer = T*;
    using iterator_category = std::random_access_iterator_tag;
    explicit CountingInputIterator(T first) : at_(first) {}
    T operator*() const { return at_; }
    template <class N>
    T operator[](N i) const {
        return static_cast<T>(at_ + static_cast<T>(i));
    }
    template <class N>
    CountingInputIterator operator+(N i) const {
        return CountingInputIterator(static_cast<T>(at_ + static_cast<T>(i)));
    }
    CountingInputIterator& operator++() {
        ++at_;
        return *this;
    }

private:
    T at_;
};

template <class T, class Offset = std::ptrdiff_t>
class ConstantInputIterator {
public:
    using value_type = T;
    using difference_type = Offset;
    using reference = T;
    using pointer = T*;
    using iterator_category = std::random_access_iterator_tag;
    explicit ConstantInputIterator(T value, Offset = 0) : value_(value) {}
    T operator*() const { return value_; }
    template <class N>
    T operator[](N) const {
        return value_;
    }
    template <class N>
    ConstantInputIterator operator+(N) const {
        return *this;
    }

private:
    T value_;
};

template <class T, class Op, class In, class Offset = std::ptrdiff_t>
class TransformInputIterator {
public:
    using value_type = T;
    using difference_type = Offset;
    using reference = T;
    using pointer = T*;
    using iterator_category = std::random_access_iterator_tag;
    TransformInputIterator(In in, Op op) : in_(in), op_(op) {}
    T operator*() const { return op_(*in_); }
    template <class N>
    T operator[](N i) const {
        return op_(in_[i]);
    }
    template <class N>
    TransformInputIterator operator+(N i) const {
        return {in_ + i, op_};
    }

private:
    In in_;
    mutable Op op_;
};

template <class In, class Offset = std::ptrdiff_t, class T = cuset_host::item_of<In>>
class ArgIndexInputIterator {
public:
    using value_type = KeyValuePair<Offset, T>;
    using difference_type = Offset;
    using reference = value_type;
    using pointer = value_type*;
    using iterator_category = std::random_access_iterator_tag;
    explicit ArgIndexInputIterator(In in, Offset before = 0) : in_(in), before_(before) {}
    value_type operator*() const { return {before_, *in_}; }
    template <class N>
    value_type operator[](N i) const {
        return {static_cast<Offset>(before_ + static_cast<Offset>(i)), in_[i]};
    }
    template <class N>
    ArgIndexInputIterator operator+(N i) const {
        return ArgIndexInputIterator(in_ + i, before_ + static_cast<Offset>(i));
    }

private:
    In in_;
    Offset before_;
};

/// Device memory, kept by nobody here: what is freed is freed at once.
struct CachingDeviceAllocator {
    explicit CachingDeviceAllocator(bool = false, bool = false) {}
    CachingDeviceAllocator(unsigned, unsigned = 1, unsigned = ~0U, std::size_t = ~std::size_t{0},
                           bool = false, bool = false) {}
    cudaError_t DeviceAllocate(void** p, std::size_t bytes, cudaStream_t = nullptr) {
        return cudaMalloc(p, bytes);
    }
    cudaError_t DeviceAllocate(int, void** p, std::size_t bytes, cudaStream_t = nullptr) {
        return cudaMalloc(p, bytes);
    }
    cudaError_t DeviceFree(void* p) { return cudaFree(p); }
    cudaError_t DeviceFree(int, void* p) { return cudaFree(p); }
    cudaError_t FreeAllCached() { return cudaSuccess; }
};

}  // namespace cub
