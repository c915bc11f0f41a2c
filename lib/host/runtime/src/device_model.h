// The GPU that is modelled: its properties, and what it refuses.
#pragma once

#include <cstddef>

#include "cuset_host/execution.h"

namespace cuset_host {

struct device_model {
    const char* architecture;  // as nvcc calls it
    const char* name;
    int major, minor, processors;
    std::size_t shared_per_block;  // at most, where a kernel has opted in
    std::size_t shared_per_processor;
    int threads_per_processor, blocks_per_processor;
    std::size_t memory, l2_cache;
    int clock_khz, memory_clock_khz, bus_bits;
};

inline constexpr std::size_t shared_without_opting_in = 48 << 10;

/// The one of CUSET_HOST_ARCH.
const device_model& device();

/// What a device says to a launch; cudaSuccess where it would run.
cudaError_t refusal(const site& at, const configuration& shape, const void* function,
                    bool cooperative);

/// Blocks of this shape that one processor holds; 0 where a block is too large.
int resident_blocks(unsigned threads, std::size_t shared_bytes);

/// The dynamic shared memory that a kernel may have beside its `static_bytes`: what
/// cudaFuncSetAttribute has allowed it, or what is left of 48 KiB; of a kernel that is not known,
/// the most that any has been allowed.
std::size_t dynamic_shared_limit(const void* function, std::size_t static_bytes);
void allow_shared(const void* function, std::size_t bytes);

}  // namespace cuset_host
