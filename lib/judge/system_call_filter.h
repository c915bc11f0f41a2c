// The system calls that a sandboxed program is refused. Private to lib/judge.
#pragma once

#include "cuset/base/fd.h"
#include "cuset/base/status.h"

namespace cuset {

/// A classic BPF program in an anonymous file, at its start, for bubblewrap's --seccomp: calls that
/// programs of this kind have no use for and kernels had holes in (user namespaces, mounts, keys,
/// io_uring, tracing, kernel modules, performance counters) end with EPERM, sockets but those
/// between processes with EAFNOSUPPORT.
result<unique_fd> system_call_filter();

}  // namespace cuset
