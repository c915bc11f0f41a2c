// How often the blocks of instructions of a program have run, by the lanes of its warps.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "operation_classes.h"

namespace cuset_host::costs {

struct executed_operations {
    std::uint64_t counts[operation_kinds] = {};
    std::map<std::string, std::uint64_t> functions;  ///< calls of mathematical functions
    /// Instructions that lanes ran, and 32 times those that their warps did: equal where no warp
    /// diverged.
    std::uint64_t lane_steps = 0, warp_steps = 0;

    void add(const executed_operations& other);
};

/// Of one launch. The counters in the program are those of the running warp.
class executed_blocks {
public:
    executed_blocks();
    /// The running warp's lanes have met, or ended, or another warp is to run.
    void end_step();
    /// Instructions that the warp has run since the last call.
    std::uint64_t take_instructions() { return std::exchange(instructions_, 0); }
    /// Ends the launch.
    executed_operations take();

private:
    struct sums {
        std::uint64_t lanes = 0, warps = 0;
    };
    void read_counters(std::size_t block);

    std::vector<sums> sums_;
    std::uint64_t instructions_ = 0;  // of the warp
};

}  // namespace cuset_host::costs
