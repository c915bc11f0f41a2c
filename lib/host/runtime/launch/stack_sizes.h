// The stacks of kernels' threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace cuset_host {

// CUDA's own limit of local memory a thread is 512 KiB. Odd numbers of pages, or neighbours would
// share the sets of the processor's page tables' cache, and each turn take a walk through them.
inline constexpr std::size_t stack_page = 4096, stack_pages = 145;
inline constexpr std::size_t usual_stack = stack_pages * stack_page;

/// Where so many threads have stacks at a time, as the up to 300,000 of a cooperative launch: within
/// an address space that keeps the page tables small.
inline std::size_t stack_bytes_of_each(std::uint64_t threads) {
    constexpr std::uint64_t all_pages = (std::uint64_t{32} << 30) / stack_page, least_pages = 17;
    return (std::clamp<std::uint64_t>(all_pages / threads, least_pages, stack_pages) | 1) *
           stack_page;
}

}  // namespace cuset_host
