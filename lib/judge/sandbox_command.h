// The command lines that make a sandbox. Private to lib/judge.
#pragma once

#include <string>
#include <vector>

#include "cuset/judge/sandbox.h"

namespace cuset {

/// What tells a CUDA program which devices are its own.
inline constexpr const char* device_variables[] = {"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"};

/// bubblewrap's. What is no folder of the request lies in memory, bounded or read-only. `user`: the
/// number that root starts the program under; empty in a user namespace. `filter` and `info` are
/// descriptors that bubblewrap inherits: see system_call_filter; where it tells its status.
std::vector<std::string> sandboxed_command(const std::string& bubblewrap,
                                           const sandbox_request& request, const std::string& user,
                                           int filter, int info);

/// The same environment without a sandbox.
std::vector<std::string> bare_command(const sandbox_request& request);

}  // namespace cuset
