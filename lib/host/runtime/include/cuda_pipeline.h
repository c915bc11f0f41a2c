// Copies from global to shared memory that a device makes meanwhile.
#pragma once

#include <cuset_host/alignment.h>
#include <cuset_host/threads/asynchronous_copies.h>

#include <cstddef>

inline void __pipeline_memcpy_async(void* shared, const void* global, std::size_t bytes,
                                    std::size_t zeros = 0) {
    cuset_host::require_alignment(shared, bytes, 0);
    if (zeros != bytes) cuset_host::require_alignment(global, bytes, 0);
    cuset_host::copy_piece(shared, global, bytes - zeros, bytes);
}
inline void __pipeline_commit() { cuset_host::commit_copies(); }
inline void __pipeline_wait_prior(std::size_t left) { cuset_host::wait_for_copies(left); }
