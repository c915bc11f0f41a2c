// Words that have come to the host from a device and are addresses in the program's own file: of
// functions, of tables of virtual functions, of variables and literals. Host code has the same
// address of each, and may give back only those that came from the device.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuset_host {

/// Such words of what was copied from a device are at `begin` now; `alignment` as in traps.h.
void note_device_words(const void* begin, std::size_t bytes, std::uintptr_t alignment);
/// Memory that both kernels and the host reach, from its beginning to its end. A program may have
/// given back, unmapped, what it has registered.
void shared_words_begin(std::uintptr_t begin, std::size_t bytes, bool is_registered);
void shared_words_end(std::uintptr_t begin);
/// A kernel has ended: it may have left such words in memory that the host reaches, and words that
/// stand for the host's, which are put back.
void note_shared_words();

/// Whether the word is known to have come from a device.
bool has_come_from_device(std::uintptr_t word);
/// The same, with a look at what kernels have left for the host. True where that cannot be known.
bool came_from_device(std::uintptr_t word);

}  // namespace cuset_host
