// Reads the host runtime's reports about a program. Private to lib/judge.
#pragma once

#include <optional>
#include <string>

#include "cuset/judge/backend.h"

namespace cuset {

// All reports come over the channel (run_report::told; runtime/src/channel.h lists the lines), to
// which programs cannot write.

/// A `fault KIND: MESSAGE` is the failure of that name, or a crash if there is no such failure,
/// whatever the program's exit code was. Nothing if there is no such line.
std::optional<program_fault> fault_told(const run_report& report);

/// A `refused KERNEL LINE: ERROR` is a launch_error. Nothing if there is no such line.
std::optional<program_fault> refusal_told(const run_report& report);

/// The first `lost KIND: MESSAGE`, likewise: a fault after which the program went on.
std::optional<program_fault> lost_told(const run_report& report);

/// By `streams needed` and `streams asked`.
stream_need streams_told(const run_report& report);

/// The first `note: MESSAGE`, without the word; empty if there is none.
std::string note_told(const run_report& report);

/// The largest of `launches N` and of `from-kernels BYTES`. Nothing if the runtime reported nothing
/// at all.
std::optional<kernel_use> kernels_told(const run_report& report);

/// Each `digest NUMBER KERNEL LINE HASH`, without the word; empty after `digests void`.
std::string launches_told(const run_report& report);

}  // namespace cuset
