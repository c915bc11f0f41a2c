// CUB's device-wide algorithms, as plain loops over device memory. Each counts as a kernel.
#pragma once

#include <cuset_host/cub/block_reductions.h>
#include <cuset_host/library_work.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <numeric>
#include <vector>

namespace cuset_host {

template <class Work>
cudaError_t library_call(cudaStream_t stream, Work work) {
    const bool is_captured = captures_library(stream, [work] {
        Work now = work;  // which may change what it holds
        const library_kernel running(nullptr);
        now();
    });
    if (is_captured) return cudaSuccess;
    const library_kernel running(stream);
    work();
    return cudaSuccess;
}
/// CUB's protocol: without temporary storage a call only tells how much it wants.
template <class Work>
cudaError_t library_call(void* storage, std::size_t& bytes, cudaStream_t stream, Work work) {
    if (storage == nullptr) {
        bytes = 1;
        return cudaSuccess;
    }
    if (bytes == 0) return cudaErrorInvalidValue;
    // When it runs: in a graph, the storage may be of a node.
    return library_call(stream, [storage, given = bytes, work]() mutable {
        use_temporary_storage(storage, given);
        work();
    });
}

template <class In>
using item_of = std::decay_t<decltype(*std::declval<In&>())>;

/// What an output iterator takes, or what is put in where it does not tell.
template <class Out, class In, class = void>
struct taken_by {
    using type = item_of<In>;
};
template <class Out, class In>
struct taken_by<Out, In, std::enable_if_t<std::is_arithmetic_v<item_of<Out>>>> {
    using type = item_of<Out>;
};

/// The type in which an operation adds up items of T to a value of First.
template <class Op, class First, class T>
using accumulator_of = std::decay_t<std::invoke_result_t<Op&, First, T>>;

template <class N>
using if_number = std::enable_if_t<std::is_integral_v<N>, int>;

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
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            cuset_host::accumulator_of<Op, T, cuset_host::item_of<In>> sum = first;
            for (N i = 0; i < count; ++i) sum = op(sum, in[i]);
            *out = sum;
        });
    }
    template <class In, class Out, class N, class Op, class Transform, class T>
    static cudaError_t TransformReduce(void* storage, std::size_t& bytes, In in, Out out, N count,
                                       Op op, Transform transform, T first,
                                       cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            cuset_host::accumulator_of<Op, T, decltype(transform(in[0]))> sum = first;
            for (N i = 0; i < count; ++i) sum = op(sum, transform(in[i]));
            *out = sum;
        });
    }
    /// Adds up in the type of the result.
    template <class In, class Out, class N>
    static cudaError_t Sum(void* storage, std::size_t& bytes, In in, Out out, N count,
                           cudaStream_t stream = nullptr) {
        using T = typename cuset_host::taken_by<Out, In>::type;
        return Reduce(storage, bytes, in, out, count, cub::Sum(), T(), stream);
    }
    template <class In, class Out, class N>
    static cudaError_t Min(void* storage, std::size_t& bytes, In in, Out out, N count,
                           cudaStream_t stream = nullptr) {
        using T = cuset_host::item_of<In>;
        return extreme(storage, bytes, in, out, count, cub::Min(), std::numeric_limits<T>::max(),
                       stream);
    }
    template <class In, class Out, class N>
    static cudaError_t Max(void* storage, std::size_t& bytes, In in, Out out, N count,
                           cudaStream_t stream = nullptr) {
        using T = cuset_host::item_of<In>;
        return extreme(storage, bytes, in, out, count, cub::Max(), std::numeric_limits<T>::lowest(),
                       stream);
    }
    template <class In, class Out, class N, cuset_host::if_number<N> = 0>
    static cudaError_t ArgMin(void* storage, std::size_t& bytes, In in, Out out, N count,
                              cudaStream_t stream = nullptr) {
        using T = cuset_host::item_of<In>;
        return best(
            storage, bytes, in, &out->value, &out->key, count, stream,
            [](const auto& a, const auto& b) { return a < b; }, std::numeric_limits<T>::max());
    }
    template <class In, class Out, class N, cuset_host::if_number<N> = 0>
    static cudaError_t ArgMax(void* storage, std::size_t& bytes, In in, Out out, N count,
                              cudaStream_t stream = nullptr) {
        using T = cuset_host::item_of<In>;
        return best(
            storage, bytes, in, &out->value, &out->key, count, stream,
            [](const auto& a, const auto& b) { return b < a; }, std::numeric_limits<T>::lowest());
    }
    template <class In, class Value, class Index, class N, cuset_host::if_number<N> = 0>
    static cudaError_t ArgMin(void* storage, std::size_t& bytes, In in, Value value, Index index,
                              N count, cudaStream_t stream = nullptr) {
        using T = cuset_host::item_of<In>;
        return best(
            storage, bytes, in, value, index, count, stream,
            [](const auto& a, const auto& b) { return a < b; }, std::numeric_limits<T>::max());
    }
    template <class In, class Value, class Index, class N, cuset_host::if_number<N> = 0>
    static cudaError_t ArgMax(void* storage, std::size_t& bytes, In in, Value value, Index index,
                              N count, cudaStream_t stream = nullptr) {
        using T = cuset_host::item_of<In>;
        return best(
            storage, bytes, in, value, index, count, stream,
            [](const auto& a, const auto& b) { return b < a; }, std::numeric_limits<T>::lowest());
    }
    template <class Keys, class Unique, class Values, class Sums, class Count, class Op, class N>
    static cudaError_t ReduceByKey(void* storage, std::size_t& bytes, Keys keys, Unique unique,
                                   Values values, Sums sums, Count runs, Op op, N count,
                                   cudaStream_t stream = nullptr) {
        using T = cuset_host::item_of<Values>;
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            N found = 0;
            cuset_host::accumulator_of<Op, T, T> sum{};
            for (N i = 0; i < count; ++i) {
                if (i == 0 || !(keys[i] == keys[i - 1])) {
                    unique[found] = keys[i];
                    sum = values[i];
                    ++found;
                } else {
                    sum = op(sum, values[i]);
                }
                sums[found - 1] = sum;
            }
            *runs = found;
        });
    }

private:
    /// A type without limits has its own first item as the first value.
    template <class In, class Out, class N, class Op, class T>
    static cudaError_t extreme(void* storage, std::size_t& bytes, In in, Out out, N count, Op op,
                               T first, cudaStream_t stream) {
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            T found = first;
            if (!std::numeric_limits<T>::is_specialized && count > 0) found = in[0];
            for (N i = 0; i < count; ++i) found = op(found, static_cast<T>(in[i]));
            *out = found;
        });
    }
    /// Of no items, the place is 1 and the value `none`.
    template <class In, class Value, class Index, class N, class Less, class T>
    static cudaError_t best(void* storage, std::size_t& bytes, In in, Value value, Index index,
                            N count, cudaStream_t stream, Less less, T none) {
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            N place = 0;
            for (N i = 1; i < count; ++i)
                if (less(in[i], in[place])) place = i;
            *index = count > 0 ? place : N(1);
            *value = count > 0 ? static_cast<T>(in[place]) : none;
        });
    }
};

struct DeviceSelect {
    template <class In, class Out, class Count, class N, class Op, cuset_host::if_number<N> = 0>
    static cudaError_t If(void* storage, std::size_t& bytes, In in, Out out, Count selected,
                          N count, Op op, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            N found = 0;
            for (N i = 0; i < count; ++i)
                if (op(in[i])) out[found++] = in[i];
            *selected = found;
        });
    }
    /// In place.
    template <class In, class Count, class N, class Op, cuset_host::if_number<N> = 0>
    static cudaError_t If(void* storage, std::size_t& bytes, In in, Count selected, N count, Op op,
                          cudaStream_t stream = nullptr) {
        return If(storage, bytes, in, in, selected, count, op, stream);
    }
    template <class In, class Flags, class Count, class N, cuset_host::if_number<N> = 0>
    static cudaError_t Flagged(void* storage, std::size_t& bytes, In in, Flags flags,
                               Count selected, N count, cudaStream_t stream = nullptr) {
        return Flagged(storage, bytes, in, flags, in, selected, count, stream);
    }
    template <class In, class Flags, class Out, class Count, class N, class Op,
              cuset_host::if_number<N> = 0>
    static cudaError_t FlaggedIf(void* storage, std::size_t& bytes, In in, Flags flags, Out out,
                                 Count selected, N count, Op op, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            N found = 0;
            for (N i = 0; i < count; ++i)
                if (op(flags[i])) out[found++] = in[i];
            *selected = found;
        });
    }
    template <class In, class Flags, class Count, class N, class Op, cuset_host::if_number<N> = 0>
    static cudaError_t FlaggedIf(void* storage, std::size_t& bytes, In in, Flags flags,
                                 Count selected, N count, Op op, cudaStream_t stream = nullptr) {
        return FlaggedIf(storage, bytes, in, flags, in, selected, count, op, stream);
    }
    template <class In, class Flags, class Out, class Count, class N, cuset_host::if_number<N> = 0>
    static cudaError_t Flagged(void* storage, std::size_t& bytes, In in, Flags flags, Out out,
                               Count selected, N count, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            N found = 0;
            for (N i = 0; i < count; ++i)
                if (flags[i]) out[found++] = in[i];
            *selected = found;
        });
    }
    template <class In, class Out, class Count, class N>
    static cudaError_t Unique(void* storage, std::size_t& bytes, In in, Out out, Count selected,
                              N count, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            N found = 0;
            for (N i = 0; i < count; ++i)
                if (i == 0 || !(in[i] == in[i - 1])) out[found++] = in[i];
            *selected = found;
        });
    }
    template <class Keys, class Values, class Keys_out, class Values_out, class Count, class N,
              class Same, std::enable_if_t<std::is_class_v<Same>, int> = 0>
    static cudaError_t UniqueByKey(void* storage, std::size_t& bytes, Keys keys, Values values,
                                   Keys_out keys_out, Values_out values_out, Count selected,
                                   N count, Same same, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            N found = 0;
            for (N i = 0; i < count; ++i) {
                if (i > 0 && same(keys[i - 1], keys[i])) continue;
                keys_out[found] = keys[i];
                values_out[found++] = values[i];
            }
            *selected = found;
        });
    }
    template <class Keys, class Values, class Keys_out, class Values_out, class Count, class N>
    static cudaError_t UniqueByKey(void* storage, std::size_t& bytes, Keys keys, Values values,
                                   Keys_out keys_out, Values_out values_out, Count selected,
                                   N count, cudaStream_t stream = nullptr) {
        return UniqueByKey(storage, bytes, keys, values, keys_out, values_out, selected, count,
                           Equality(), stream);
    }
};

struct DevicePartition {
    /// Three parts: the first two in their order, the rest too. Tells the sizes of the first two.
    template <class In, class First, class Second, class Rest, class Counts, class N, class Op,
              class Other>
    static cudaError_t If(void* storage, std::size_t& bytes, In in, First first, Second second,
                          Rest rest, Counts counts, N count, Op op, Other other,
                          cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            N a = 0, b = 0, c = 0;
            for (N i = 0; i < count; ++i) {
                if (op(in[i]))
                    first[a++] = in[i];
                else if (other(in[i]))
                    second[b++] = in[i];
                else
                    rest[c++] = in[i];
            }
            counts[0] = a;
            counts[1] = b;
        });
    }
    /// The others follow from the end, in reverse.
    template <class In, class Out, class Count, class N, class Op>
    static cudaError_t If(void* storage, std::size_t& bytes, In in, Out out, Count selected,
                          N count, Op op, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            N found = 0, last = count;
            for (N i = 0; i < count; ++i) out[op(in[i]) ? found++ : --last] = in[i];
            *selected = found;
        });
    }
    template <class In, class Flags, class Out, class Count, class N>
    static cudaError_t Flagged(void* storage, std::size_t& bytes, In in, Flags flags, Out out,
                               Count selected, N count, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
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
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
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
    /// Where runs of more than one item begin, and their lengths.
    template <class In, class Offsets, class Lengths, class Count, class N>
    static cudaError_t NonTrivialRuns(void* storage, std::size_t& bytes, In in, Offsets offsets,
                                      Lengths lengths, Count runs, N count,
                                      cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            N found = 0;
            for (N begin = 0, end; begin < count; begin = end) {
                for (end = begin + 1; end < count && in[end] == in[begin];) ++end;
                if (end - begin == 1) continue;
                offsets[found] = begin;
                lengths[found++] = end - begin;
            }
            *runs = found;
        });
    }
};

struct DeviceSegmentedReduce {
    template <class In, class Out, class Begin, class End, class Op, class T>
    static cudaError_t Reduce(void* storage, std::size_t& bytes, In in, Out out, int segments,
                              Begin begin, End end, Op op, T first, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            for (int s = 0; s < segments; ++s) {
                cuset_host::accumulator_of<Op, T, cuset_host::item_of<In>> sum = first;
                for (auto i = begin[s]; i < end[s]; ++i) sum = op(sum, in[i]);
                out[s] = sum;
            }
        });
    }
    template <class In, class Out, class Begin, class End>
    static cudaError_t Sum(void* storage, std::size_t& bytes, In in, Out out, int segments,
                           Begin begin, End end, cudaStream_t stream = nullptr) {
        return Reduce(storage, bytes, in, out, segments, begin, end, cub::Sum(),
                      typename cuset_host::taken_by<Out, In>::type(), stream);
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
    /// Pairs of the place in the segment and the value; of an empty segment 1 and the type's limit.
    template <class In, class Out, class Begin, class End>
    static cudaError_t ArgMin(void* storage, std::size_t& bytes, In in, Out out, int segments,
                              Begin begin, End end, cudaStream_t stream = nullptr) {
        using T = cuset_host::item_of<In>;
        return best(
            storage, bytes, in, out, segments, begin, end, stream,
            [](const T& a, const T& b) { return a < b; }, std::numeric_limits<T>::max());
    }
    template <class In, class Out, class Begin, class End>
    static cudaError_t ArgMax(void* storage, std::size_t& bytes, In in, Out out, int segments,
                              Begin begin, End end, cudaStream_t stream = nullptr) {
        using T = cuset_host::item_of<In>;
        return best(
            storage, bytes, in, out, segments, begin, end, stream,
            [](const T& a, const T& b) { return b < a; }, std::numeric_limits<T>::lowest());
    }

private:
    template <class In, class Out, class Begin, class End, class Less, class T>
    static cudaError_t best(void* storage, std::size_t& bytes, In in, Out out, int segments,
                            Begin begin, End end, cudaStream_t stream, Less less, T none) {
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            for (int s = 0; s < segments; ++s) {
                const auto first = begin[s];
                auto place = first;
                for (auto i = first; i < end[s]; ++i)
                    if (less(in[i], in[place])) place = i;
                const bool is_empty = !(first < end[s]);
                out[s].key = is_empty ? 1 : static_cast<int>(place - first);
                out[s].value = is_empty ? none : static_cast<T>(in[place]);
            }
        });
    }
};

}  // namespace cub
