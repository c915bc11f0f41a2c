// CUB's less common device-wide algorithms, its iterators and its allocator.
#pragma once

#include <cuset_host/cub_device.h>
#include <cuset_host/cub_device_histograms.h>
#include <cuset_host/cub_device_scans.h>
#include <cuset_host/cub_device_sorts.h>

#include <cstdio>
#include <cstdlib>
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

// Iterators, of versions of CUB before 3.

/// What an iterator with a place does. Self has advance(n), distance_from(other) and operator*.
template <class Self, class T, class Offset>
class placed_iterator {
public:
    using value_type = T;
    using difference_type = Offset;
    using reference = T;
    using pointer = T*;
    using iterator_category = std::random_access_iterator_tag;
    template <class N>
    T operator[](N i) const {
        return *(self() + i);
    }
    template <class N>
    Self operator+(N i) const {
        Self moved = self();
        return moved += i;
    }
    template <class N, std::enable_if_t<std::is_integral_v<N>, int> = 0>
    Self operator-(N i) const {
        Self moved = self();
        return moved -= i;
    }
    template <class N>
    Self& operator+=(N i) {
        self().advance(static_cast<std::ptrdiff_t>(i));
        return self();
    }
    template <class N>
    Self& operator-=(N i) {
        self().advance(-static_cast<std::ptrdiff_t>(i));
        return self();
    }
    Self& operator++() { return *this += 1; }
    Self operator++(int) {
        const Self before = self();
        *this += 1;
        return before;
    }
    Offset operator-(const Self& other) const { return self().distance_from(other); }
    bool operator==(const Self& other) const { return self().distance_from(other) == 0; }
    bool operator!=(const Self& other) const { return !(*this == other); }

private:
    Self& self() { return static_cast<Self&>(*this); }
    const Self& self() const { return static_cast<const Self&>(*this); }
};

template <class T, class Offset = std::ptrdiff_t>
class CountingInputIterator : public placed_iterator<CountingInputIterator<T, Offset>, T, Offset> {
public:
    explicit CountingInputIterator(T first) : at_(first) {}
    T operator*() const { return at_; }
    void advance(std::ptrdiff_t i) { at_ = static_cast<T>(at_ + static_cast<T>(i)); }
    Offset distance_from(const CountingInputIterator& other) const {
        return static_cast<Offset>(at_ - other.at_);
    }

private:
    T at_;
};

template <class T, class Offset = std::ptrdiff_t>
class ConstantInputIterator : public placed_iterator<ConstantInputIterator<T, Offset>, T, Offset> {
public:
    explicit ConstantInputIterator(T value, Offset at = 0) : value_(value), at_(at) {}
    T operator*() const { return value_; }
    void advance(std::ptrdiff_t i) { at_ += static_cast<Offset>(i); }
    Offset distance_from(const ConstantInputIterator& other) const { return at_ - other.at_; }

private:
    T value_;
    Offset at_;
};

template <class T, class Op, class In, class Offset = std::ptrdiff_t>
class TransformInputIterator
    : public placed_iterator<TransformInputIterator<T, Op, In, Offset>, T, Offset> {
public:
    TransformInputIterator(In in, Op op) : in_(in), op_(op) {}
    T operator*() const { return op_(*in_); }
    void advance(std::ptrdiff_t i) { in_ = in_ + i; }
    Offset distance_from(const TransformInputIterator& other) const {
        return static_cast<Offset>(in_ - other.in_);
    }

private:
    In in_;
    mutable Op op_;
};

template <class In, class Offset = std::ptrdiff_t, class T = cuset_host::item_of<In>>
class ArgIndexInputIterator : public placed_iterator<ArgIndexInputIterator<In, Offset, T>,
                                                     KeyValuePair<Offset, T>, Offset> {
public:
    ArgIndexInputIterator(In in, Offset at = 0) : in_(in), at_(at) {}
    KeyValuePair<Offset, T> operator*() const { return {at_, in_[at_]}; }
    void advance(std::ptrdiff_t i) { at_ += static_cast<Offset>(i); }
    Offset distance_from(const ArgIndexInputIterator& other) const { return at_ - other.at_; }
    void normalize() {
        in_ = in_ + at_;
        at_ = 0;
    }

private:
    In in_;
    Offset at_;
};

/// The error, or else the last one of a launch, which it clears. It says so where CUB_STDERR asks.
inline cudaError_t Debug(cudaError_t error, [[maybe_unused]] const char* file,
                         [[maybe_unused]] int line) {
    const cudaError_t last = cudaGetLastError();
    if (error == cudaSuccess) error = last;
#ifdef CUB_STDERR
    if (error != cudaSuccess)
        std::fprintf(stderr, "CUDA error %d [%s, %d]: %s\n", static_cast<int>(error), file, line,
                     cudaGetErrorString(error));
#endif
    return error;
}
#ifndef CubDebug
#define CubDebug(e) ::cub::Debug(static_cast<cudaError_t>(e), __FILE__, __LINE__)
#endif
#ifndef CubDebugExit
#define CubDebugExit(e)                                                  \
    if (::cub::Debug(static_cast<cudaError_t>(e), __FILE__, __LINE__)) { \
        exit(1);                                                         \
    }
#endif

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
