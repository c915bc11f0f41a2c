// Which samples an optimiser step takes, and how they are cut into passes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cuset {

struct batch_settings {
    std::size_t batch = 1;       ///< samples a process takes at a time
    std::size_t accumulate = 1;  ///< how often a process does so for one step
    std::size_t processes = 1;
    bool shuffle = true;
    std::uint64_t seed = 42;
};

/// The order of an epoch's samples, and its steps. A function of its arguments alone: any part of a
/// run can be planned again.
class batch_plan {
public:
    batch_plan(const batch_settings& settings, std::size_t samples);

    std::size_t steps_per_epoch() const;

    /// The samples of step `step` (from 0) of epoch `epoch`, those of every process: batch ·
    /// accumulate · processes of them, fewer in an epoch's last step. Valid until the next call.
    std::span<const std::size_t> step_samples(std::size_t epoch, std::size_t step);

private:
    batch_settings settings_;
    std::size_t samples_;
    std::size_t epoch_ = SIZE_MAX;
    std::vector<std::size_t> order_;  // of `epoch_`
};

/// The part of a step's samples that process `rank` of `processes` takes: every processes-th one
/// from its own on.
std::vector<std::size_t> share_of(std::span<const std::size_t> samples, std::size_t rank,
                                  std::size_t processes);

/// Cuts samples of these lengths into passes of at most `most` tokens, in order; one that is longer
/// gets a pass of its own. Returns where each pass ends.
std::vector<std::size_t> cut_passes(std::span<const std::size_t> lengths, std::size_t most);

}  // namespace cuset
