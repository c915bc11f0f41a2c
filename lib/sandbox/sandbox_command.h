// The command lines that make a sandbox. Private to lib/sandbox.
#pragma once

#include <string>
#include <vector>

#include "cuset/sandbox/sandbox.h"

namespace cuset {

/// The descriptors that bubblewrap and its children inherit: single digits, as shell redirections
/// need. They are the system call filter, bubblewrap's status, and the gate. The sandbox writes a
/// line into the gate when it is complete, and starts the program once it has read a line.
inline constexpr int gate_descriptor = 6, filter_descriptor = 8, info_descriptor = 9;

/// The command line of bubblewrap. All that is no folder of the request is in memory, bounded or
/// read-only. `user`: the number under which root starts the program; empty in a user namespace.
/// With a launcher there is no gate.
std::vector<std::string> sandboxed_command(const std::string& bubblewrap,
                                           const sandbox_request& request, const std::string& user);

/// The same environment without a sandbox.
std::vector<std::string> bare_command(const sandbox_request& request);

}  // namespace cuset
