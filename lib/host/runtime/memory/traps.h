// Addresses of the host that a device has got: each stands for one that traps (trap() of
// device_memory.h), until it comes back to the host.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuset_host {

/// What an address of the host is of.
enum class host_word : unsigned char { none, memory, function, virtual_table };
/// How it has come to the device.
enum class host_word_way : unsigned char { passed, copied };

/// The address that traps in place of `word`, and keeps what it stands for. Returns `word` where
/// that cannot be kept.
std::uintptr_t trap_for(std::uintptr_t word, host_word meaning, host_word_way way);

/// Whether any word stands for one of the host.
bool any_traps();
/// Puts back what the aligned words of [begin, begin + bytes) stand for; `alignment` is the address
/// whose alignment counts, that of the first byte where the words come from.
void put_back_words(void* begin, std::size_t bytes, std::uintptr_t alignment);
/// The addresses of [begin, begin + bytes], with the end, become the device's too: words of
/// [at, at + count) that stand for them are put back.
bool any_traps_for(std::uintptr_t begin, std::size_t bytes);
void put_back_words_for(std::uintptr_t begin, std::size_t bytes, void* at, std::size_t count);

/// Where the device uses an address that traps: what is wrong about that, as two ways to say it.
struct wrong_use {
    const char* sentence;  ///< "uses a pointer to host memory that was passed to the kernel"
    const char* access;    ///< behind "reads 4 bytes": " through a pointer to host memory …"
    bool is_call;
};
wrong_use use_of_trap(std::uintptr_t address);
/// Of what is_in_copied_block() of host_heap.h.
wrong_use use_of_copied_block();

}  // namespace cuset_host
