// HIP's operations of a warp without a mask: those lanes take part that run the call together. A
// warp has 32 lanes here, as on AMD's RDNA; masks have 64 bits all the same.
#pragma once

#include <type_traits>

#include "cuset_host/faults.h"
#include "cuset_host/threads/warp.h"

namespace cuset_host {

/// Ends the program where it cuts a warp into parts of more lanes than the warp has.
inline int hip_width(int width) {
    if (width > 32) fail("unsupported", "a warp of " + std::to_string(width) + " lanes");
    return width;
}

}  // namespace cuset_host

#define CUSET_HOST_HIP_SHUFFLE(name, how, argument_type)                                        \
    template <class T, class R = typename cuset_host::shuffled_type<T>::type>                   \
    inline R name(T value, argument_type argument, int width = 32, CUSET_HOST_LINE) {           \
        const unsigned mask = cuset_host::converged_lanes_at_once(line);                       \
        return cuset_host::shuffled<cuset_host::shuffle::how, R>(                               \
            mask, value, static_cast<int>(argument), cuset_host::hip_width(width), #name, line); \
    }
CUSET_HOST_HIP_SHUFFLE(__shfl, index, int)
CUSET_HOST_HIP_SHUFFLE(__shfl_up, up, unsigned)
CUSET_HOST_HIP_SHUFFLE(__shfl_down, down, unsigned)
CUSET_HOST_HIP_SHUFFLE(__shfl_xor, exclusive_or, int)
#undef CUSET_HOST_HIP_SHUFFLE

inline unsigned long long __ballot(int predicate, CUSET_HOST_LINE) {
    return __ballot_sync(cuset_host::converged_lanes_at_once(line), predicate, line);
}
inline unsigned long long __ballot64(int predicate, CUSET_HOST_LINE) {
    return __ballot(predicate, line);
}
inline int __any(int predicate, CUSET_HOST_LINE) { return __ballot(predicate, line) != 0; }
inline int __all(int predicate, CUSET_HOST_LINE) { return __ballot(predicate == 0, line) == 0; }

// The translation gives the calls these names, which no program in CUDA has.
inline unsigned __lane_id_of_hip() { return cuset_host::lane_id(); }
inline unsigned long long __lanemask_lt_of_hip() { return (1ULL << cuset_host::lane_id()) - 1; }
inline unsigned long long __lanemask_eq_of_hip() { return 1ULL << cuset_host::lane_id(); }
inline unsigned long long __lanemask_gt_of_hip() {
    return 0xffffffffULL & ~((2ULL << cuset_host::lane_id()) - 1);
}
inline unsigned long long __activemask_of_hip(CUSET_HOST_LINE) {
    return cuset_host::converged_lanes_at_once(line);
}

// HIP's forms with a mask, of 64 bits: a smaller one is an error, since it leaves lanes out where a
// warp has 64.
namespace cuset_host {
template <class M>
inline unsigned hip_mask(M mask) {
    static_assert(std::is_integral<M>::value && sizeof(M) == 8, "a mask has 64 bits in HIP");
    return static_cast<unsigned>(mask);
}
}  // namespace cuset_host

#define CUSET_HOST_HIP_SHUFFLE(name, how, argument_type)                                         \
    template <class M, class T, class R = typename cuset_host::shuffled_type<T>::type>           \
    inline R name##_of_hip(M mask, T value, argument_type argument, int width = 32,              \
                           CUSET_HOST_LINE) {                                                    \
        return cuset_host::shuffled<cuset_host::shuffle::how, R>(                                \
            cuset_host::hip_mask(mask), value, static_cast<int>(argument),                       \
            cuset_host::hip_width(width), #name, line);                                          \
    }
CUSET_HOST_HIP_SHUFFLE(__shfl_sync, index, int)
CUSET_HOST_HIP_SHUFFLE(__shfl_up_sync, up, unsigned)
CUSET_HOST_HIP_SHUFFLE(__shfl_down_sync, down, unsigned)
CUSET_HOST_HIP_SHUFFLE(__shfl_xor_sync, exclusive_or, int)
#undef CUSET_HOST_HIP_SHUFFLE

template <class M>
inline unsigned long long __ballot_sync_of_hip(M mask, int predicate, CUSET_HOST_LINE) {
    return __ballot_sync(cuset_host::hip_mask(mask), predicate, line);
}
template <class M>
inline int __any_sync_of_hip(M mask, int predicate, CUSET_HOST_LINE) {
    return __any_sync(cuset_host::hip_mask(mask), predicate, line);
}
template <class M>
inline int __all_sync_of_hip(M mask, int predicate, CUSET_HOST_LINE) {
    return __all_sync(cuset_host::hip_mask(mask), predicate, line);
}
template <class M, class T>
inline unsigned long long __match_any_sync_of_hip(M mask, T value, CUSET_HOST_LINE) {
    return __match_any_sync(cuset_host::hip_mask(mask), value, line);
}
template <class M, class T>
inline unsigned long long __match_all_sync_of_hip(M mask, T value, int* all, CUSET_HOST_LINE) {
    return __match_all_sync(cuset_host::hip_mask(mask), value, all, line);
}
template <class M = unsigned long long>
inline void __syncwarp_of_hip(M mask = ~0ULL, CUSET_HOST_LINE) {
    __syncwarp(cuset_host::hip_mask(mask), line);
}
