// Arrays of threads that a GPU keeps in its local memory, in counted programs.
#pragma once

#include <cstddef>

#ifdef CUSET_HOST_COUNT

namespace cuset_host {

/// As others have the array's address then, the compiler calls the runtime for accesses to it.
void note_local_array(const volatile void* array, std::size_t bytes);

/// A thread's array. One that registers may hold is not told: whether they do depends on how nvcc
/// unrolls loops. More than 256 bytes are seldom there.
template <class Array>
inline void see_local_array(Array& array) {
    constexpr std::size_t most_in_registers = 256;
    if constexpr (sizeof(array) > most_in_registers) note_local_array(&array, sizeof(array));
}

}  // namespace cuset_host

#define CUSET_HOST_LOCAL_ARRAY(array) ::cuset_host::see_local_array(array);

#endif
