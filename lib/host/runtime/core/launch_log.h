// Reports launches over the channel: the content of device memory after each, which shows where two
// runs differ, and the launches that a device refuses.
#pragma once

#include "cuset_host/threads/execution.h"

namespace cuset_host {

/// Tells "digest NUMBER KERNEL LINE HASH" where the evaluator asks for them.
void log_launch(const site& at);

/// Tells "refused KERNEL LINE: ERROR", and "asked" where the launch has no blocks: nothing is
/// missing then.
void log_refusal(const site& at, cudaError_t error, bool is_empty);

/// The program has been given its last error: tells "asked" if that was one of a
/// launch that was refused.
void log_asked();
/// It was given that error by a call whose result it drops: tells "dropped".
void log_dropped();

}  // namespace cuset_host
