// HIP's operations of a warp without a mask: those lanes take part that run the call together. A
// warp has 32 lanes here, as on AMD's RDNA; masks have 64 bits all the same.
#pragma once

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
        const unsigned mask = cuset_host::converged_lanes(line);                                \
        return cuset_host::shuffled<cuset_host::shuffle::how, R>(                               \
            mask, value, static_cast<int>(argument), cuset_host::hip_width(width), #name, line); \
    }
CUSET_HOST_HIP_SHUFFLE(__shfl, index, int)
CUSET_HOST_HIP_SHUFFLE(__shfl_up, up, unsigned)
CUSET_HOST_HIP_SHUFFLE(__shfl_down, down, unsigned)
CUSET_HOST_HIP_SHUFFLE(__shfl_xor, exclusive_or, int)
#undef CUSET_HOST_HIP_SHUFFLE

inline unsigned long long __ballot(int predicate, CUSET_HOST_LINE) {
    return __ballot_sync(cuset_host::converged_lanes(line), predicate, line);
}
inline unsigned long long __ballot64(int predicate, CUSET_HOST_LINE) {
    return __ballot(predicate, line);
}
inline int __any(int predicate, CUSET_HOST_LINE) { return __ballot(predicate, line) != 0; }
inline int __all(int predicate, CUSET_HOST_LINE) { return __ballot(predicate == 0, line) == 0; }

inline unsigned __lane_id() { return cuset_host::lane_id(); }
inline unsigned long long __lanemask_lt() { return (1ULL << cuset_host::lane_id()) - 1; }
inline unsigned long long __lanemask_eq() { return 1ULL << cuset_host::lane_id(); }
inline unsigned long long __lanemask_gt() {
    return 0xffffffffULL & ~((2ULL << cuset_host::lane_id()) - 1);
}
