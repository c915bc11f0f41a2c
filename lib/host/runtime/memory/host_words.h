// Words of host code that copies bring to a device. One that is an address of the host's heap,
// stack or variables, of a function, or of a table of virtual functions, becomes an address that
// traps (traps.h): on a device no kernel can use it. When it is copied back, it is what it was.
//
// Data must never change because it looks like an address. Pairs of small integers are such data:
// (21845, 4711) may be an address of the heap. So in copies of more than 1 KiB only a word counts
// that is exactly the beginning of a block of malloc, of a function or of a table, and with a
// beginning all words into its block, so that distances stay. In smaller ones any address of the
// host counts; of the heap, only one whose lower half is no small number.
#pragma once

#include <cstddef>

namespace cuset_host {

/// A copy has been made of `bytes`, in a call that copies `whole` of them. The calling thread must
/// have device_access.
void look_at_copied_words(void* to, const void* from, std::size_t bytes, std::size_t whole);

/// The device may touch [begin, begin + bytes) of host memory from here on, and so the addresses
/// that it has of it.
void host_memory_is_shared(const void* begin, std::size_t bytes);

}  // namespace cuset_host
