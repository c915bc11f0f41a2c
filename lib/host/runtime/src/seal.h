// The seal: a seccomp filter of the runtime's own, behind which the program can neither write to
// the channel nor take the runtime's place as the handler of its own faults.
//
// What a filter sees of a call is its number, its arguments and the address that it comes from. So
// calls that touch the channel's descriptor, and handlers of SIGSEGV, SIGBUS and SIGFPE, are the
// runtime's where they come from its one `syscall` instruction (system_calls.h) and nobody's else.
// A program that finds this instruction in memory and jumps to it is not kept from anything.
#pragma once

namespace cuset_host {

/// What a call on the channel's descriptor gives the program: an error number that no kernel has.
inline constexpr int sealed_error = 1995;

/// For this process and all that it starts, from here on: nobody can take it off. False where the
/// kernel does not take the filter.
bool seal(int channel);

/// Whether this process was started by a program that is sealed already, with the channel at this
/// number: there is no channel then.
bool is_sealed(int channel);

}  // namespace cuset_host
