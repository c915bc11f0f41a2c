// The command lines that make a sandbox. Private to lib/judge.
#pragma once

#include <string>
#include <vector>

#include "cuset/judge/sandbox.h"

namespace cuset {

/// What tells a CUDA program which devices are its own.
inline constexpr const char* device_variables[] = {"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"};

/// The descriptors that bubblewrap and what it starts inherit, from the first on: single digits, as
/// a shell's redirections take them. The system call filter, where bubblewrap tells its status, and
/// the gate: the sandbox writes a line into it when nothing of it is left to be made, and starts
/// the program once it has read one.
inline constexpr int gate_descriptor = 6, filter_descriptor = 8, info_descriptor = 9;

/// What messages of the shell that starts the program begin with.
inline constexpr const char* starter_name = "cuset-sandbox";

/// bubblewrap's. What is no folder of the request lies in memory, bounded or read-only. `user`: the
/// number that root starts the program under; empty in a user namespace. With a launcher there is
/// no gate.
std::vector<std::string> sandboxed_command(const std::string& bubblewrap,
                                           const sandbox_request& request, const std::string& user);

/// The same environment without a sandbox.
std::vector<std::string> bare_command(const sandbox_request& request);

}  // namespace cuset
