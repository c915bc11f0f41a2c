// Barriers of a block, and the operations of a warp. The last parameter of each is the line that
// calls it, for messages.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "cuset_host/threads/call_places.h"
#include "cuset_host/threads/execution.h"

#define CUSET_HOST_LINE int line = __builtin_LINE()

inline void __syncthreads(CUSET_HOST_LINE) { cuset_host::block_barrier(0, "__syncthreads", line); }
inline int __syncthreads_count(int predicate, CUSET_HOST_LINE) {
    return cuset_host::block_barrier(predicate, "__syncthreads_count", line).nonzero;
}
inline int __syncthreads_and(int predicate, CUSET_HOST_LINE) {
    const auto sums = cuset_host::block_barrier(predicate, "__syncthreads_and", line);
    return sums.nonzero == sums.threads;
}
inline int __syncthreads_or(int predicate, CUSET_HOST_LINE) {
    return cuset_host::block_barrier(predicate, "__syncthreads_or", line).nonzero != 0;
}

inline void __syncwarp(unsigned mask = 0xffffffff, CUSET_HOST_LINE) {
    cuset_host::warp_exchange(mask, 0, "__syncwarp", line);
}
inline unsigned __activemask(CUSET_HOST_LINE) { return cuset_host::converged_lanes(line); }

namespace cuset_host {

/// Whether lanes may exchange values of the type by their bytes: also __half2 and the like, which
/// for a host compiler have copy constructors of their own.
template <class T>
inline constexpr bool has_plain_bytes = std::is_trivially_copyable_v<T> ||
                                        (sizeof(T) <= 4 && std::is_trivially_destructible_v<T>);

/// A value as the word that lanes exchange, and back.
template <class T>
inline std::uint64_t to_word(const T& value) {
    static_assert(sizeof(T) <= sizeof(std::uint64_t) && has_plain_bytes<T>);
    std::uint64_t word = 0;
    std::memcpy(&word, static_cast<const void*>(&value), sizeof value);
    return word;
}
template <class T>
inline T from_word(std::uint64_t word) {
    T value;
    std::memcpy(static_cast<void*>(&value), &word, sizeof value);
    return value;
}

/// The value that a lane gets from lane `source`. CUDA leaves the value of an absent lane
/// undefined; devices give 0, and so does this.
template <class T>
inline T value_of(const warp_values& values, unsigned source) {
    return from_word<T>((values.present() >> source & 1) != 0 ? values[source] : 0);
}

/// Ends a checked program where a lane gets the value of one that the mask names and that never
/// comes.
void meet_absent_lane(unsigned lane, const char* operation, int line);

/// How the value of a lane's partner is chosen in a warp cut into parts of `width` lanes.
enum class shuffle : unsigned char { index, up, down, exclusive_or };

/// The partner as the instruction finds it. Only five bits of the argument and of the width count,
/// and a lane that looks outside its part finds itself; exclusive_or may look back.
template <shuffle How>
inline unsigned shuffle_source(int lane, int argument, int width) {
    const int fixed = (32 - width) & 31, by = argument & 31;
    const int begin = lane & fixed, last = begin | (31 & ~fixed);
    int source = begin | (by & ~fixed);
    if (How == shuffle::up) source = lane - by < begin ? lane : lane - by;
    if (How == shuffle::down) source = lane + by > last ? lane : lane + by;
    if (How == shuffle::exclusive_or) source = (lane ^ by) > last ? lane : lane ^ by;
    return static_cast<unsigned>(source);
}

/// The type as which CUDA's overloads take a value: small integers as int, and no pointers or
/// structs.
template <class T, bool Is_class = std::is_class_v<T>>
struct shuffled_type {
    static_assert(sizeof(T) <= 4, "no warp operation takes this type");  // __half2 and the like
    using type = T;
};
template <class T>
struct shuffled_type<T, false> {
    using type = decltype(+std::declval<T>());
    static_assert(std::is_arithmetic_v<type> && sizeof(type) <= 8,
                  "no warp operation takes this type");
};

template <shuffle How, class T>
inline T shuffled(unsigned mask, T value, int argument, int width, const char* operation,
                  int line) {
    const unsigned source = shuffle_source<How>(static_cast<int>(lane_id()), argument, width);
    const warp_values values = warp_exchange(mask, to_word(value), operation, line);
#ifdef CUSET_HOST_CHECK
    if ((mask & ~values.present()) >> source & 1) meet_absent_lane(source, operation, line);
#endif
    return value_of<T>(values, source);
}

}  // namespace cuset_host

template <class T, class R = typename cuset_host::shuffled_type<T>::type>
inline R __shfl_sync(unsigned mask, T value, int source, int width = 32, CUSET_HOST_LINE) {
    return cuset_host::shuffled<cuset_host::shuffle::index, R>(mask, value, source, width,
                                                               "__shfl_sync", line);
}
template <class T, class R = typename cuset_host::shuffled_type<T>::type>
inline R __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, CUSET_HOST_LINE) {
    return cuset_host::shuffled<cuset_host::shuffle::up, R>(mask, value, static_cast<int>(delta),
                                                            width, "__shfl_up_sync", line);
}
template <class T, class R = typename cuset_host::shuffled_type<T>::type>
inline R __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, CUSET_HOST_LINE) {
    return cuset_host::shuffled<cuset_host::shuffle::down, R>(mask, value, static_cast<int>(delta),
                                                              width, "__shfl_down_sync", line);
}
template <class T, class R = typename cuset_host::shuffled_type<T>::type>
inline R __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, CUSET_HOST_LINE) {
    return cuset_host::shuffled<cuset_host::shuffle::exclusive_or, R>(mask, value, lanes, width,
                                                                      "__shfl_xor_sync", line);
}

inline unsigned __ballot_sync(unsigned mask, int predicate, CUSET_HOST_LINE) {
    const auto values =
        cuset_host::warp_exchange(mask, predicate != 0 ? 1 : 0, "__ballot_sync", line);
    unsigned lanes = 0;
    for (unsigned rest = values.present(); rest != 0; rest &= rest - 1)
        if (values[static_cast<unsigned>(__builtin_ctz(rest))] != 0) lanes |= rest & (~rest + 1);
    return lanes;
}
inline int __any_sync(unsigned mask, int predicate, CUSET_HOST_LINE) {
    return __ballot_sync(mask, predicate, line) != 0;
}
inline int __all_sync(unsigned mask, int predicate, CUSET_HOST_LINE) {
    return __ballot_sync(mask, predicate == 0, line) == 0;
}

template <class T>
inline unsigned __match_any_sync(unsigned mask, T value, CUSET_HOST_LINE) {
    static_assert(sizeof(typename cuset_host::shuffled_type<T, false>::type) <= 8);
    const std::uint64_t own = cuset_host::to_word(value);
    const auto values = cuset_host::warp_exchange(mask, own, "__match_any_sync", line);
    unsigned lanes = 0;
    for (unsigned rest = values.present(); rest != 0; rest &= rest - 1)
        if (values[static_cast<unsigned>(__builtin_ctz(rest))] == own) lanes |= rest & (~rest + 1);
    return lanes;
}
template <class T>
inline unsigned __match_all_sync(unsigned mask, T value, int* all, CUSET_HOST_LINE) {
    static_assert(sizeof(typename cuset_host::shuffled_type<T, false>::type) <= 8);
    const std::uint64_t own = cuset_host::to_word(value);
    const auto values = cuset_host::warp_exchange(mask, own, "__match_all_sync", line);
    *all = 1;
    for (unsigned rest = values.present(); rest != 0; rest &= rest - 1)
        if (values[static_cast<unsigned>(__builtin_ctz(rest))] != own) *all = 0;
    return *all != 0 ? values.present() : 0;
}

namespace cuset_host {

/// `fold` of all lanes' values, in the order of lanes.
template <class T, class F>
inline T reduced(unsigned mask, T value, F fold, const char* operation, int line) {
    const warp_values values = warp_exchange(mask, to_word(value), operation, line);
    unsigned rest = values.present();
    T sum = from_word<T>(values[static_cast<unsigned>(__builtin_ctz(rest))]);
    for (rest &= rest - 1; rest != 0; rest &= rest - 1)
        sum = fold(sum, from_word<T>(values[static_cast<unsigned>(__builtin_ctz(rest))]));
    return sum;
}

}  // namespace cuset_host

#define CUSET_HOST_REDUCTION(name, type, expression)                                      \
    inline type name(unsigned mask, type value, CUSET_HOST_LINE) {                        \
        return cuset_host::reduced(                                                       \
            mask, value, [](type a, type b) -> type { return expression; }, #name, line); \
    }
CUSET_HOST_REDUCTION(__reduce_add_sync, unsigned, a + b)
CUSET_HOST_REDUCTION(__reduce_min_sync, unsigned, a < b ? a : b)
CUSET_HOST_REDUCTION(__reduce_max_sync, unsigned, a > b ? a : b)
CUSET_HOST_REDUCTION(__reduce_min_sync, int, a < b ? a : b)
CUSET_HOST_REDUCTION(__reduce_max_sync, int, a > b ? a : b)
CUSET_HOST_REDUCTION(__reduce_and_sync, unsigned, a& b)
CUSET_HOST_REDUCTION(__reduce_or_sync, unsigned, a | b)
CUSET_HOST_REDUCTION(__reduce_xor_sync, unsigned, a ^ b)
#undef CUSET_HOST_REDUCTION
inline int __reduce_add_sync(unsigned mask, int value, CUSET_HOST_LINE) {
    return static_cast<int>(__reduce_add_sync(mask, static_cast<unsigned>(value), line));
}
