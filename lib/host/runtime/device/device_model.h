// The GPU that is modelled: its properties, and the launches that it refuses.
#pragma once

#include <atomic>
#include <cstddef>

#include "cuset_host/threads/execution.h"
#include "device_models.h"

namespace cuset_host {

/// By cuInit(), or by a call of the runtime API that reaches the device: before it, calls of the
/// driver API fail.
extern std::atomic<bool> driver_is_initialised;
/// Whether the calling thread has a context: the primary one.
extern thread_local bool has_context;
/// Whether the runtime API has reached the device, which keeps the primary context; whether that
/// context is there, by this or retained.
extern std::atomic<bool> runtime_has_begun, has_primary_context;
/// What a call of the runtime API that reaches the device does to all four.
void reach_device();

inline constexpr std::size_t shared_without_opting_in = 48 << 10;

/// The device of CUSET_HOST_ARCH.
const device_model& device();

/// A device's answer to a launch; cudaSuccess if it would run.
cudaError_t refusal(const site& at, const configuration& shape, const void* function,
                    bool cooperative);

/// The blocks of a launch's clusters in each direction: its own, or those of __cluster_dims__,
/// or 1.
dim3 cluster_of(const site& at, const configuration& shape, const void* function);
/// The most blocks that a cluster of the kernel may have: 8, or 16 where it has been allowed.
unsigned largest_cluster(const void* function);
void allow_large_clusters(const void* function, bool allow);

/// The number of blocks of this shape that one multiprocessor holds; 0 if a block is too large.
int resident_blocks(unsigned threads, std::size_t shared_bytes);

/// The dynamic shared memory that a kernel may have beside its `static_bytes`: what
/// cudaFuncSetAttribute has allowed, or what is left of 48 KiB. For an unknown kernel, the most
/// that any kernel has been allowed.
std::size_t dynamic_shared_limit(const void* function, std::size_t static_bytes);
void allow_shared(const void* function, std::size_t bytes);

/// The part of a multiprocessor's memory that the kernel would like to have as shared memory, in
/// percent; -1 where it has said nothing. Nothing here depends on it.
int preferred_carveout(const void* function);
void prefer_carveout(const void* function, int percent);

}  // namespace cuset_host
