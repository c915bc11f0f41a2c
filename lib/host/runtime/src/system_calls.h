// System calls without the C library, whose functions a program may define for itself: `write`,
// `_exit`, `sigaction` and the like are then the program's, also for this runtime, which is linked
// behind it.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {
/// The one place from which the runtime makes calls that the seal keeps from the program (seal.h).
/// Returns what the kernel does: -errno where the call failed.
long cuset_host_system_call(long number, long a, long b, long c, long d, long e, long f);
/// The address behind its `syscall` instruction, which is what a seccomp filter sees.
extern const char cuset_host_system_call_end[];
}

namespace cuset_host {

inline long system_call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0) {
    return cuset_host_system_call(number, a, b, c, d, e, 0);
}

/// Writes all of it, as far as the descriptor takes it.
void write_plainly(int descriptor, const char* text, std::size_t bytes);

/// Ends the program, all of its threads.
[[noreturn]] void end_plainly(int code);

/// For a signal that a fault of the processor raises: a handler that gets siginfo_t and the
/// context, with all other signals blocked; null for the kernel's own end of the program.
void handle_signal_plainly(int number, void (*handler)(int, void*, void*));

/// Sends a signal to this thread.
void raise_plainly(int number);

/// mprotect, or pkey_mprotect where `key` is not negative; false where the kernel refuses.
bool protect_plainly(std::uintptr_t begin, std::size_t bytes, int protection, int key = -1);

}  // namespace cuset_host
