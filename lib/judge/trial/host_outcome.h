// Reads the host runtime's reports about a program. Private to lib/judge.
#pragma once

#include <string_view>

#include "cuset/judge/backend.h"

namespace cuset {

/// All reports come over the channel (run_report::channel_output; channel.h of the runtime's
/// sources lists the lines), to which programs cannot write:
/// - the first `fault KIND: MESSAGE` is the failure of that name, or a crash if there is no such
///   failure, whatever the program's exit code was;
/// - all `fault KIND: MESSAGE` are findings, once for each kind and line, and `note: MESSAGE` behind;
/// - the first `lost KIND: MESSAGE` is the survived fault;
/// - the first `refused KERNEL LINE: ERROR` is a launch_error of CUDA;
/// - the first `running KERNEL LINE` is the kernel that ran when the time ended;
/// - `streams needed` and `streams asked`; the first `note: MESSAGE`;
/// - the largest of `launches N` and of `from-kernels BYTES`; no kernels if the runtime reported
///   nothing at all;
/// - each `digest NUMBER KERNEL LINE HASH` is a launch, but none is after `digests void`.
program_outcome host_outcome_of(std::string_view channel_output);

}  // namespace cuset
