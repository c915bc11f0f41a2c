// Which memory kernels have written, and how much of it the host has read. An evaluator asks this
// about a program with right results.
//
// While a kernel runs, pages that no kernel has written since the host did are closed to stores.
// The first store to such a page is a fault of the processor (faults.cpp). From then on the whole
// allocation counts as written by kernels and is open, until the host overwrites all of it. So a
// kernel that writes values that were there already is noticed too, and a kernel is slowed down by
// at most one fault for each allocation.
//
// If it cannot be known, a kernel counts as the writer: allocations without a page of their own (up
// to 8 KiB), variables of the device, CUDA arrays, and all memory of programs in which several host
// threads use the device. The parts of an allocation that share a page with another one count with
// 64 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuset_host/device_memory.h"

namespace cuset_host {

/// An allocation, or host memory that is registered, from its beginning to its end.
void follow(std::uintptr_t begin, std::size_t bytes, memory_kind kind);
void stop_following(std::uintptr_t begin);

/// The host is about to write to memory of the device, or has read from it, through the runtime.
void host_writes(const void* to, std::size_t bytes);
void host_has_read(const void* from, std::size_t bytes);
/// A copy within memory of the device is about to be made.
void device_copies(const void* to, const void* from, std::size_t bytes);

/// Makes a copy, and tells what it is of the above.
template <class Copy>
void note_copy(const void* to, const void* from, std::size_t bytes, const Copy& copy) {
    const auto is_hosts = [](memory_kind kind) {
        return kind == memory_kind::host || kind == memory_kind::pinned;
    };
    const memory_kind target = kind_of(to);
    const bool reads_device = !is_hosts(kind_of(from));
    if (reads_device && !is_hosts(target)) {
        device_copies(to, from, bytes);
    } else if (target != memory_kind::host) {
        host_writes(to, bytes);
    }
    copy();
    if (reads_device && is_hosts(target)) host_has_read(from, bytes);
}

/// While one lives, a kernel runs; the memory of the device is open then (device_access). Counts
/// it.
class kernel_run {
public:
    kernel_run();
    ~kernel_run();
    kernel_run(const kernel_run&) = delete;
    kernel_run& operator=(const kernel_run&) = delete;
};

/// From here on all memory counts as written by kernels, one of which ran.
void count_all_as_written();

/// In the handler of a fault at `address`: whether it was the first store to followed memory, which
/// is open now.
bool stored_first(std::uintptr_t address);

/// Tells the counts to the last, where the program ends as programs do.
void tell_counts();

}  // namespace cuset_host
