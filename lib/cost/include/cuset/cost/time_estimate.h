// The time that a GPU would take for a launch, by its roofline: an estimate, which knows nothing of
// the order in which a GPU's instructions wait for each other.
#pragma once

#include <string_view>

#include "cuset/cost/gpu_model.h"
#include "cuset/cost/launch_cost.h"

namespace cuset {

/// Seconds of one launch, the mean of those that were counted.
struct time_estimate {
    double seconds = 0;     ///< with what it takes to begin one
    double arithmetic = 0;  ///< the slowest unit of arithmetic
    double memory = 0;      ///< the device's memory
    double caches = 0;      ///< L2, L1 and shared memory, the slowest
    double latency = 0;     ///< of one thread after another, where few run at a time
    std::string_view
        bound;  ///< the greatest: "arithmetic", "memory", "caches", "latency", "launch"
};

/// Counts of L2 and of the device's memory are those of a run with that GPU's L2.
time_estimate estimate_time(const launch_cost& cost, const gpu_model& on, bool fast_math = false);

}  // namespace cuset
