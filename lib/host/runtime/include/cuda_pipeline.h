// Copies from global to shared memory that a device makes meanwhile. Here they are made at once,
// which is one of the orders that a device may choose.
#pragma once

#include <cuset_host/alignment.h>
#include <cuset_host/cuda_types.h>

#include <cstddef>
#include <cstring>

inline void __pipeline_memcpy_async(void* shared, const void* global, std::size_t bytes,
                                    std::size_t zeros = 0) {
    cuset_host::require_alignment(shared, bytes, 0);
    if (zeros != bytes) cuset_host::require_alignment(global, bytes, 0);
    std::memcpy(shared, global, bytes - zeros);
    std::memset(static_cast<char*>(shared) + bytes - zeros, 0, zeros);
}
inline void __pipeline_commit() {}
inline void __pipeline_wait_prior(std::size_t) {}
