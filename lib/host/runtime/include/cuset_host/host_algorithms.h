// Algorithms of std and of Thrust that are given plain pointers: they work on the host, and device
// memory is out of their reach. In a program with Thrust all host code reaches it here, so that
// only the pointer shows that a device would not go on.
#pragma once

#include <cuset_host/cuda_types.h>

#include <type_traits>

namespace cuset_host {

/// Ends the program if the host's code asks and `p` is device memory.
void look_at_hosts_pointer(const void* p, const char* algorithm, int line);

/// What the translator writes around an argument of such an algorithm. An execution policy or
/// another iterator may be one too; it is passed on.
template <class T>
inline T&& of_host(T&& argument, const char* algorithm, int line = __builtin_LINE()) {
    if constexpr (std::is_pointer_v<std::decay_t<T>> &&
                  !std::is_function_v<std::remove_pointer_t<std::decay_t<T>>>)
        look_at_hosts_pointer(const_cast<const void*>(static_cast<const volatile void*>(argument)),
                              algorithm, line);
    return static_cast<T&&>(argument);
}
/// The same for an argument that counts where the algorithm's first one, of type First, is a plain
/// pointer.
template <class First, class T>
inline T&& of_host_after(T&& argument, const char* algorithm, int line = __builtin_LINE()) {
    if constexpr (std::is_pointer_v<std::decay_t<First>>)
        return of_host(static_cast<T&&>(argument), algorithm, line);
    else
        return static_cast<T&&>(argument);
}

}  // namespace cuset_host
