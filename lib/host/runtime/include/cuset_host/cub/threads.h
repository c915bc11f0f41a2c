// What CUB offers to single threads: loads and stores of their items, shuffles, caches' hints.
#pragma once

#include <cuset_host/cub/block_reductions.h>
#include <cuset_host/threads/lane_values.h>
#include <cuset_host/library_work.h>

#include <cstddef>
#include <iterator>
#include <type_traits>

#if __has_include(<cub/version.cuh>)
#include <cub/version.cuh>  // the toolkit's

#endif

namespace cub {

namespace details {

/// The places of a thread's items among those of a block or a warp.
struct blocked_places {
    int thread, items;
    int operator()(int i) const { return thread * items + i; }
};
struct striped_places {
    int thread, threads;
    int operator()(int i) const { return thread + i * threads; }
};
inline auto warp_striped_places(int thread, int items) {
    return [=](int i) { return thread / 32 * 32 * items + thread % 32 + i * 32; };
}

template <class Places, class In, class T, int Items>
void load(const Places& at, In from, T (&items)[Items]) {
    for (int i = 0; i < Items; ++i) items[i] = from[at(i)];
}
/// Items at `valid` and behind stay as they are.
template <class Places, class In, class T, int Items>
void load(const Places& at, In from, T (&items)[Items], int valid) {
    for (int i = 0; i < Items; ++i)
        if (at(i) < valid) items[i] = from[at(i)];
}
template <class Places, class In, class T, int Items, class Default>
void load(const Places& at, In from, T (&items)[Items], int valid, const Default& other) {
    for (int i = 0; i < Items; ++i)
        items[i] = at(i) < valid ? static_cast<T>(from[at(i)]) : static_cast<T>(other);
}
template <class Places, class Out, class T, int Items>
void store(const Places& at, Out to, const T (&items)[Items]) {
    for (int i = 0; i < Items; ++i) to[at(i)] = items[i];
}
template <class Places, class Out, class T, int Items>
void store(const Places& at, Out to, const T (&items)[Items], int valid) {
    for (int i = 0; i < Items; ++i)
        if (at(i) < valid) to[at(i)] = items[i];
}

}  // namespace details

// `guard` is nothing, the number of valid items, or, for loads, that and what takes the others'
// place.
template <class T, int Items, class In, class... Guard>
void LoadDirectBlocked(int thread, In from, T (&items)[Items], Guard... guard) {
    details::load(details::blocked_places{thread, Items}, from, items, guard...);
}
template <class T, int Items>
void LoadDirectBlockedVectorized(int thread, T* from, T (&items)[Items]) {
    LoadDirectBlocked(thread, from, items);
}
template <int Threads, class T, int Items, class In, class... Guard>
void LoadDirectStriped(int thread, In from, T (&items)[Items], Guard... guard) {
    details::load(details::striped_places{thread, Threads}, from, items, guard...);
}
template <class T, int Items, class In, class... Guard>
void LoadDirectWarpStriped(int thread, In from, T (&items)[Items], Guard... guard) {
    details::load(details::warp_striped_places(thread, Items), from, items, guard...);
}
template <class T, int Items, class Out, class... Guard>
void StoreDirectBlocked(int thread, Out to, T (&items)[Items], Guard... guard) {
    details::store(details::blocked_places{thread, Items}, to, items, guard...);
}
template <class T, int Items>
void StoreDirectBlockedVectorized(int thread, T* to, T (&items)[Items]) {
    StoreDirectBlocked(thread, to, items);
}
template <int Threads, class T, int Items, class Out, class... Guard>
void StoreDirectStriped(int thread, Out to, T (&items)[Items], Guard... guard) {
    details::store(details::striped_places{thread, Threads}, to, items, guard...);
}
template <class T, int Items, class Out, class... Guard>
void StoreDirectWarpStriped(int thread, Out to, T (&items)[Items], Guard... guard) {
    details::store(details::warp_striped_places(thread, Items), to, items, guard...);
}

enum CacheLoadModifier {
    LOAD_DEFAULT,
    LOAD_CA,
    LOAD_CG,
    LOAD_CS,
    LOAD_CV,
    LOAD_LDG,
    LOAD_VOLATILE
};
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };

template <CacheLoadModifier, class In>
auto ThreadLoad(In from) {
    return *from;
}
template <CacheStoreModifier, class Out, class T>
void ThreadStore(Out to, T value) {
    *to = value;
}

template <class In, class Op, int Items>
auto ThreadReduce(const In (&items)[Items], Op op) {
    std::decay_t<decltype(op(items[0], items[0]))> sum = items[0];
    for (int i = 1; i < Items; ++i) sum = op(sum, items[i]);
    return sum;
}
template <class In, class Op, class First, int Items>
auto ThreadReduce(const In (&items)[Items], Op op, First first) {
    std::decay_t<decltype(op(first, items[0]))> sum = first;
    for (int i = 0; i < Items; ++i) sum = op(sum, items[i]);
    return sum;
}

/// Pointers whose loads or stores hint at caches, which are not modelled.
template <CacheLoadModifier, class T, class Offset = std::ptrdiff_t>
class CacheModifiedInputIterator {
public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = T;
    using difference_type = Offset;
    using pointer = T*;
    using reference = T;
    template <class Q>
    CacheModifiedInputIterator(Q* at) : at_(at) {}
    T operator*() const { return *at_; }
    const T* operator->() const { return at_; }
    template <class N>
    T operator[](N i) const {
        return at_[i];
    }
    template <class N>
    CacheModifiedInputIterator operator+(N i) const {
        return CacheModifiedInputIterator(at_ + i);
    }
    template <class N>
    CacheModifiedInputIterator& operator+=(N i) {
        at_ += i;
        return *this;
    }
    CacheModifiedInputIterator& operator++() { return *this += 1; }
    CacheModifiedInputIterator operator++(int) {
        const CacheModifiedInputIterator before = *this;
        ++at_;
        return before;
    }
    template <class N, std::enable_if_t<std::is_integral_v<N>, int> = 0>
    CacheModifiedInputIterator operator-(N i) const {
        return CacheModifiedInputIterator(at_ - i);
    }
    template <class N>
    CacheModifiedInputIterator& operator-=(N i) {
        at_ -= i;
        return *this;
    }
    Offset operator-(const CacheModifiedInputIterator& other) const {
        return static_cast<Offset>(at_ - other.at_);
    }
    bool operator==(const CacheModifiedInputIterator& other) const { return at_ == other.at_; }
    bool operator!=(const CacheModifiedInputIterator& other) const { return at_ != other.at_; }

private:
    const T* at_;
};
template <CacheStoreModifier, class T, class Offset = std::ptrdiff_t>
class CacheModifiedOutputIterator {
public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = void;
    using difference_type = Offset;
    using pointer = void;
    using reference = T&;
    template <class Q>
    CacheModifiedOutputIterator(Q* at) : at_(at) {}
    T& operator*() const { return *at_; }
    template <class N>
    T& operator[](N i) const {
        return at_[i];
    }
    template <class N>
    CacheModifiedOutputIterator operator+(N i) const {
        return CacheModifiedOutputIterator(at_ + i);
    }
    template <class N>
    CacheModifiedOutputIterator& operator+=(N i) {
        at_ += i;
        return *this;
    }
    CacheModifiedOutputIterator& operator++() { return *this += 1; }
    CacheModifiedOutputIterator operator++(int) {
        const CacheModifiedOutputIterator before = *this;
        ++at_;
        return before;
    }
    template <class N, std::enable_if_t<std::is_integral_v<N>, int> = 0>
    CacheModifiedOutputIterator operator-(N i) const {
        return CacheModifiedOutputIterator(at_ - i);
    }
    template <class N>
    CacheModifiedOutputIterator& operator-=(N i) {
        at_ -= i;
        return *this;
    }
    Offset operator-(const CacheModifiedOutputIterator& other) const {
        return static_cast<Offset>(at_ - other.at_);
    }
    bool operator==(const CacheModifiedOutputIterator& other) const { return at_ == other.at_; }
    bool operator!=(const CacheModifiedOutputIterator& other) const { return at_ != other.at_; }

private:
    T* at_;
};

// Lanes beyond `last` or before `first`, numbers in the groups of Threads lanes, give the own
// value.
template <int Threads, class T>
T ShuffleIndex(T value, int lane, unsigned mask, int line = __builtin_LINE()) {
    const cuset_host::lane_values<T> all(mask, value, "cub::ShuffleIndex", line);
    const int self = static_cast<int>(cuset_host::lane_id());
    return all[static_cast<unsigned>(self / Threads * Threads + (lane & (Threads - 1)))];
}
template <int Threads, class T>
T ShuffleDown(T value, int distance, int last, unsigned mask, int line = __builtin_LINE()) {
    const cuset_host::lane_values<T> all(mask, value, "cub::ShuffleDown", line);
    const int self = static_cast<int>(cuset_host::lane_id()), lane = self % Threads;
    return lane + distance > last ? value : all[static_cast<unsigned>(self + distance)];
}
template <int Threads, class T>
T ShuffleUp(T value, int distance, int first, unsigned mask, int line = __builtin_LINE()) {
    const cuset_host::lane_values<T> all(mask, value, "cub::ShuffleUp", line);
    const int self = static_cast<int>(cuset_host::lane_id()), lane = self % Threads;
    return lane - distance < first ? value : all[static_cast<unsigned>(self - distance)];
}

inline unsigned LaneId() { return cuset_host::lane_id(); }
inline unsigned WarpId() { return cuset_host::linear_thread() / 32; }
/// Of a block with these extents.
inline int RowMajorTid(int x, int y, int z) {
    return static_cast<int>(threadIdx.x) + (y == 1 ? 0 : static_cast<int>(threadIdx.y) * x) +
           (z == 1 ? 0 : static_cast<int>(threadIdx.z) * x * y);
}
template <class A, class B>
constexpr auto DivideAndRoundUp(A a, B b) {
    return (a + b - 1) / b;
}

inline cudaError_t PtxVersion(int& version) {
    cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, 0);
    version = properties.major * 100 + properties.minor * 10;
    return error;
}
inline cudaError_t PtxVersion(int& version, int) { return PtxVersion(version); }
inline cudaError_t SmVersion(int& version, int = 0) { return PtxVersion(version); }

}  // namespace cub

#define CUB_PTX_LOG_WARP_THREADS 5
#define CUB_PTX_WARP_THREADS 32
// Of versions of CUB before 3.
#define CUB_MAX(a, b) (((b) > (a)) ? (b) : (a))
#define CUB_MIN(a, b) (((b) < (a)) ? (b) : (a))
#define CUB_QUOTIENT_FLOOR(x, y) ((x) / (y))
#define CUB_QUOTIENT_CEILING(x, y) (((x) + (y)-1) / (y))
#define CUB_ROUND_UP_NEAREST(x, y) (CUB_QUOTIENT_CEILING(x, y) * (y))
#define CUB_ROUND_DOWN_NEAREST(x, y) (((x) / (y)) * (y))
