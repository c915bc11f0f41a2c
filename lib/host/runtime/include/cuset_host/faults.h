// The end of a faulty program: one line for the evaluator, and a special exit code.
#pragma once

#include <string>

#include "cuset_host/cuda_types.h"

namespace cuset_host {

/// The exit code by which the evaluator knows such an end.
inline constexpr int fault_exit_code = 97;

/// Tells the evaluator "fault KIND: MESSAGE" over the channel (core/channel.h), prints "cuset-host:
/// KIND: MESSAGE" on stderr for people, and ends the program with fault_exit_code. The kinds are
/// names of verdicts' failures: unsupported, illegal_address, out_of_bounds, uninitialised_read,
/// use_after_free, barrier_divergence, race.
[[noreturn]] void fail(const char* kind, const std::string& message);

/// The same for an illegal_address of the kernel that runs, whose `error` a program may go on to
/// meet (lost_device.h): "kernel add, block (3,0,0), thread (17,0,0), line 12: WHAT"; no line if it
/// is 0.
[[noreturn]] void fail_access(cudaError_t error, const char* what, int line = 0);

/// Tells "fault KIND" at once, without calling anything that a program may define itself. fail()
/// needs such functions for its message, above all memory; it comes next.
void begin_fault(const char* kind);

/// Tells "note: MESSAGE" and prints "cuset-host: note: MESSAGE" on stderr.
void note(const std::string& message);

/// Names the running thread: "kernel add, block (3,0,0), thread (17,0,0)", with ", line 12" if the
/// line is not 0.
std::string running_thread(int line = 0);

/// Makes bad addresses in kernels faults, and those in host code crashes that say why. Call it
/// once, before anything runs.
void watch_addresses();

}  // namespace cuset_host
