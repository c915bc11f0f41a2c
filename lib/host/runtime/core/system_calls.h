// System calls without the C library. A program may define `write`, `_exit`, `sigaction` and
// similar functions itself, and they then replace the C library's for this runtime too, which is
// linked after the program.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {
/// The only place from which the runtime makes calls that the seal forbids the program (seal.h).
/// Returns what the kernel does: -errno if the call failed.
long cuset_host_system_call(long number, long a, long b, long c, long d, long e, long f);
/// The address after its `syscall` instruction, which is what a seccomp filter sees.
extern const char cuset_host_system_call_end[];
}

namespace cuset_host {

inline long system_call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0) {
    return cuset_host_system_call(number, a, b, c, d, e, 0);
}

/// Writes all of it, as far as the descriptor accepts it.
void write_plainly(int descriptor, const char* text, std::size_t bytes);

/// Ends the program with all of its threads.
[[noreturn]] void end_plainly(int code);

/// Sets the handler of a signal that a fault of the processor raises. It gets siginfo_t and the
/// context, with all other signals blocked; null restores the kernel's own action, which ends the
/// program.
void handle_signal_plainly(int number, void (*handler)(int, void*, void*));

/// Sends a signal to this thread.
void raise_plainly(int number);

/// mprotect, or pkey_mprotect if `key` is not negative; false if the kernel refuses.
bool protect_plainly(std::uintptr_t begin, std::size_t bytes, int protection, int key = -1);

}  // namespace cuset_host
