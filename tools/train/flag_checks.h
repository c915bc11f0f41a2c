// What the parser of cuset-train's options cannot check. All errors are usage errors.
#pragma once

#include <cstddef>

#include "cuset/base/status.h"
#include "cuset/train/objective.h"
#include "flags.h"

namespace cuset {

/// Numbers out of range.
status check_numbers(const train_flags& f);

/// Options that contradict each other, or have no effect together or with so many processes.
status check_together(const train_flags& f, const objective_settings& objective,
                      std::size_t processes);

}  // namespace cuset
