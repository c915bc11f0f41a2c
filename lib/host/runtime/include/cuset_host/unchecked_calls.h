// Calls of CUDA's APIs whose results the program drops: the translator writes
// `unchecked_call("cudaFree"), cudaFree(p);`, so that the first one that fails is told. A call that
// returns no status stays what it is, by C++'s own comma.
#pragma once

#include <cuset_host/cuda_types.h>

#include <type_traits>

namespace cuset_host {

struct unchecked_call {
    const char* name;
    int line;
    explicit unchecked_call(const char* n, int l = __builtin_LINE()) : name(n), line(l) {}
};

/// Tells "call NAME in line LINE returned TEXT", once for a program; not where the device is lost,
/// since all calls fail then. TEXT is "status NUMBER" where `text` is null.
void tell_failed_call(const unchecked_call& call, int number, const char* text);

inline cudaError_t operator,(const unchecked_call& call, cudaError_t error) {
    if (error != cudaSuccess && error != cudaErrorNotReady)
        tell_failed_call(call, error, cudaGetErrorString(error));
    return error;
}

/// The statuses of libraries: zero is success in each.
template <class E, class = std::enable_if_t<std::is_enum_v<E>>>
inline E operator,(const unchecked_call& call, E status) {
    if (static_cast<int>(status) != 0) tell_failed_call(call, static_cast<int>(status), nullptr);
    return status;
}

}  // namespace cuset_host
