// What the host runtime told of a program. Private to lib/judge.
#pragma once

#include <optional>
#include <string>

#include "cuset/judge/backend.h"

namespace cuset {

// All of it came over the channel (run_report::told; runtime/src/channel.h says what a line may
// be), which programs do not write to.

/// A `fault KIND: MESSAGE` is the failure of that name, or a crash where there is none; whatever
/// the program's exit code was. Nothing where there is no such line.
std::optional<program_fault> fault_told(const run_report& report);

/// A `refused KERNEL LINE: ERROR` is a launch_error. Nothing where there is no such line.
std::optional<program_fault> refusal_told(const run_report& report);

/// The first `note: MESSAGE`, without the word; empty where there is none.
std::string note_told(const run_report& report);

/// The largest of `launches N` and of `from-kernels BYTES`. Nothing where the runtime told nothing
/// at all.
std::optional<kernel_use> kernels_told(const run_report& report);

/// Each `digest NUMBER KERNEL LINE HASH`, without the word; empty behind `digests void`.
std::string launches_told(const run_report& report);

}  // namespace cuset
