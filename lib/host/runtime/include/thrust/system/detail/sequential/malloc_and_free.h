// In place of Thrust's file of this name: what Thrust allocates is memory that kernels see.
#pragma once

#include <thrust/detail/config.h>
#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/system/detail/sequential/execution_policy.h>

#include <cuset_host/library_work.h>

THRUST_NAMESPACE_BEGIN
namespace system {
namespace detail {
namespace sequential {

template <typename Policy>
inline void* malloc(execution_policy<Policy>&, std::size_t bytes) {
    return ::cuset_host::library_memory(bytes);
}

template <typename Policy, typename Pointer>
inline void free(execution_policy<Policy>&, Pointer p) {
    ::cuset_host::free_library_memory(thrust::raw_pointer_cast(p));
}

}  // namespace sequential
}  // namespace detail
}  // namespace system
THRUST_NAMESPACE_END
