// What device memory held after each launch, for telling where two runs part.
#pragma once

#include "cuset_host/execution.h"

namespace cuset_host {

/// Appends "NUMBER KERNEL LINE DIGEST" to the file of CUSET_HOST_DIGESTS, where there is one.
void log_launch(const site& at);

}  // namespace cuset_host
