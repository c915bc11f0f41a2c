// The system calls that a sandboxed program is refused. Private to lib/sandbox.
#pragma once

#include "cuset/base/fd.h"
#include "cuset/base/status.h"
#include "cuset/sandbox/sandbox.h"

namespace cuset {

/// A classic BPF program in an anonymous file, at its start, for bubblewrap's --seccomp. Calls that
/// programs of this kind have no use for end with EPERM: those that kernels had holes in (user
/// namespaces, mounts, keys, io_uring, tracing, kernel modules, performance counters), and those
/// that make memory which no process has mapped, or hand descriptors to where nobody counts them.
/// Sockets end with EAFNOSUPPORT, but for those between processes where the request has them.
result<unique_fd> system_call_filter(const sandbox_request& request);

}  // namespace cuset
