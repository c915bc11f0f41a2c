// Measures a program and its reference in turn. Private to lib/judge.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "cuset/base/status.h"
#include "cuset/judge/program_time.h"
#include "trial/device_activity.h"

namespace cuset {

/// A run that was measured, and whose outputs were compared.
struct timed_run {
    activity_times times;        ///< its fault says why the run does not count
    double process_seconds = 0;  ///< from the start of the process to its end
};
using timed_program = std::function<result<timed_run>()>;

struct timing_plan {
    timed_program candidate, reference;
    /// Called before each run: writes over the L2 cache, and keeps the clocks up.
    std::function<status()> settle;
    std::function<std::optional<std::uint64_t>()> clock;  ///< MHz; nothing where it is not known
    std::uint64_t runs = 1;                               ///< of each program, from 1 on
    std::uint64_t warm_ups = 2;                           ///< pairs of runs that do not count
};

/// Runs both programs in turn: candidate, reference, reference, candidate and so on, so that a
/// linear drift cancels out. The first fault ends it, and is why there is no time. There is none
/// either where the program saves time on the device by more time elsewhere: if its processes take
/// longer than the reference's, beyond both spreads, by more than is saved, by a fifth and by 50
/// ms, then work was moved to the host. Less may be chance, or another way to read files: the
/// verdict has both times. An error is a fault of this machine.
result<program_time> time_in_turn(const timing_plan& plan);

}  // namespace cuset
