// CUB's device-wide loops without an order among items: calls, transforms, differences, copies and
// merges.
#pragma once

#include <cuset_host/cub/device_algorithms.h>

#include <functional>
#include <tuple>
#include <utility>

namespace cub {

namespace details {
struct minus {
    template <class A, class B>
    auto operator()(const A& a, const B& b) const {
        return a - b;
    }
};
}  // namespace details

/// Calls, which here run on the host in turn.
struct DeviceFor {
    template <class N, class Op>
    static cudaError_t Bulk(N count, Op op, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(stream, [=]() mutable {
            for (N i = 0; i < count; ++i) op(i);
        });
    }
    template <class N, class Op>
    static cudaError_t Bulk(void* storage, std::size_t& bytes, N count, Op op,
                            cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            for (N i = 0; i < count; ++i) op(i);
        });
    }
    template <class In, class Op>
    static cudaError_t ForEach(In first, In last, Op op, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(stream, [=]() mutable {
            for (; first != last; ++first) op(*first);
        });
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
    template <class In, class Op>
    static cudaError_t ForEach(void* storage, std::size_t& bytes, In first, In last, Op op,
                               cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            for (; first != last; ++first) op(*first);
        });
    }
    template <class In, class N, class Op>
    static cudaError_t ForEachN(void* storage, std::size_t& bytes, In first, N count, Op op,
                                cudaStream_t stream = nullptr) {
        return ForEach(storage, bytes, first, first + count, op, stream);
    }
    template <class In, class Op>
    static cudaError_t ForEachCopy(void* storage, std::size_t& bytes, In first, In last, Op op,
                                   cudaStream_t stream = nullptr) {
        return ForEach(storage, bytes, first, last, op, stream);
    }
    template <class In, class N, class Op>
    static cudaError_t ForEachCopyN(void* storage, std::size_t& bytes, In first, N count, Op op,
                                    cudaStream_t stream = nullptr) {
        return ForEach(storage, bytes, first, first + count, op, stream);
    }
};

struct DeviceAdjacentDifference {
    template <class In, class Out, class N, class Op = details::minus>
    static cudaError_t SubtractLeftCopy(void* storage, std::size_t& bytes, In in, Out out, N count,
                                        Op op = {}, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
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
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
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

namespace details {
template <class T, class = void>
struct is_tuple : std::false_type {};
template <class T>
struct is_tuple<T, std::void_t<decltype(std::tuple_size<T>::value)>> : std::true_type {};

/// op(in[i]), or op(first[i], second[i], …) of a tuple, std's or cuda::std's.
template <class In, class N, class Op, std::size_t... Part>
decltype(auto) at_all(In& in, N i, Op& op, std::index_sequence<Part...>) {
    using std::get;
    return op(get<Part>(in)[i]...);
}
template <class In, class N, class Op>
decltype(auto) at(In& in, N i, Op& op) {
    if constexpr (is_tuple<In>::value)
        return at_all(in, i, op, std::make_index_sequence<std::tuple_size<In>::value>());
    else
        return op(in[i]);
}
}  // namespace details

struct DeviceTransform {
    template <class In, class Out, class N, class Op>
    static cudaError_t Transform(In in, Out out, N count, Op op, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(stream, [=]() mutable {
            for (N i = 0; i < count; ++i) out[i] = details::at(in, i, op);
        });
    }
    template <class In, class Out, class N, class Op>
    static cudaError_t Transform(void* storage, std::size_t& bytes, In in, Out out, N count, Op op,
                                 cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            for (N i = 0; i < count; ++i) out[i] = details::at(in, i, op);
        });
    }
    template <class... Arguments>
    static cudaError_t TransformStableArgumentAddresses(Arguments&&... arguments) {
        return Transform(std::forward<Arguments>(arguments)...);
    }
};

struct DeviceMemcpy {
    template <class From, class To, class Sizes>
    static cudaError_t Batched(void* storage, std::size_t& bytes, From from, To to, Sizes sizes,
                               long long count, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            for (long long i = 0; i < count; ++i) std::memcpy(to[i], from[i], sizes[i]);
        });
    }
};

/// Ranges of items.
struct DeviceCopy {
    template <class From, class To, class Sizes>
    static cudaError_t Batched(void* storage, std::size_t& bytes, From from, To to, Sizes sizes,
                               long long count, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            for (long long i = 0; i < count; ++i) std::copy_n(from[i], sizes[i], to[i]);
        });
    }
};

/// Merges of two sorted sequences. Equal keys of the first come first.
struct DeviceMerge {
    template <class Keys1, class Keys2, class Keys_out, class Less = std::less<>>
    static cudaError_t MergeKeys(void* storage, std::size_t& bytes, Keys1 keys1, long long count1,
                                 Keys2 keys2, long long count2, Keys_out out, Less less = {},
                                 cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            for (long long a = 0, b = 0; a < count1 || b < count2; ++out)
                *out = takes_second(keys1, a, count1, keys2, b, count2, less) ? keys2[b++]
                                                                              : keys1[a++];
        });
    }
    template <class Keys1, class Values1, class Keys2, class Values2, class Keys_out,
              class Values_out, class Less = std::less<>>
    static cudaError_t MergePairs(void* storage, std::size_t& bytes, Keys1 keys1, Values1 values1,
                                  long long count1, Keys2 keys2, Values2 values2, long long count2,
                                  Keys_out keys_out, Values_out values_out, Less less = {},
                                  cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            for (long long a = 0, b = 0; a < count1 || b < count2; ++keys_out, ++values_out) {
                const bool second = takes_second(keys1, a, count1, keys2, b, count2, less);
                *keys_out = second ? keys2[b] : keys1[a];
                *values_out = second ? values2[b++] : values1[a++];
            }
        });
    }

private:
    template <class Keys1, class Keys2, class Less>
    static bool takes_second(Keys1& keys1, long long a, long long count1, Keys2& keys2, long long b,
                             long long count2, Less& less) {
        return a == count1 || (b < count2 && less(keys2[b], keys1[a]));
    }
};

}  // namespace cub
