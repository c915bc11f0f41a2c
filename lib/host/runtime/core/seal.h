// The seal: a seccomp filter of the runtime. Behind it the program can neither write to the channel
// nor replace the runtime as the handler of its faults.
//
// A filter sees a call's number, its arguments and the address that it comes from. So calls that
// touch the channel's descriptor, and handlers of SIGSEGV, SIGBUS and SIGFPE, are allowed only from
// the runtime's one `syscall` instruction (system_calls.h). A program that finds this instruction
// in memory and jumps to it is not stopped.
#pragma once

namespace cuset_host {

/// The error that the program gets from a call on the channel's descriptor: a number that no kernel
/// uses.
inline constexpr int sealed_error = 1995;

/// Seals this process and all that it starts; nobody can undo it. False if the kernel refuses the
/// filter.
bool seal(int channel);

/// Whether this process was started by a sealed program, with the channel at this number: then
/// there is no channel.
bool is_sealed(int channel);

}  // namespace cuset_host
