// Chooses the samples of each optimiser step, and cuts them into passes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cuset {

struct batch_settings {
    std::size_t batch = 1;       ///< samples a process takes at a time
    std::size_t accumulate = 1;  ///< batches that a process takes for one step
    std::size_t processes = 1;
    /// If not 0, a step takes samples as long as all of them together, prompts included, have at
    /// most this many tokens for each process; `batch` and `accumulate` are ignored then.
    std::size_t tokens = 0;
    bool shuffle = true;
    std::uint64_t seed = 42;
};

/// The order of every epoch's samples, cut into steps. It is a function of its arguments alone, so
/// that any part of a run can be planned again.
class batch_plan {
public:
    /// `lengths`: the length of each sample in tokens. At least one sample.
    batch_plan(const batch_settings& settings, std::vector<std::size_t> lengths);

    /// The number of steps in this many epochs; a fraction takes a part of the last epoch.
    std::size_t steps_in(double epochs);

    struct step {
        std::size_t epoch = 0;   ///< from 0
        double epochs_done = 0;  ///< after it
        /// The samples of all processes together. Valid until the next call.
        std::span<const std::size_t> samples;
    };
    /// Step `number`, from 0 over all epochs.
    step at(std::size_t number);

private:
    void plan_epoch(std::size_t epoch);

    batch_settings settings_;
    std::vector<std::size_t> lengths_;
    std::size_t epoch_ = 0;
    std::size_t first_step_ = 0;      // of `epoch_`
    std::vector<std::size_t> order_;  // of `epoch_`
    std::vector<std::size_t> ends_;   // where each of its steps ends in `order_`
};

/// The part of a step's samples for process `rank` of `processes`: every processes-th sample from
/// number `rank` on.
std::vector<std::size_t> share_of(std::span<const std::size_t> samples, std::size_t rank,
                                  std::size_t processes);

/// Cuts samples of these lengths, in order, into passes of at most `most` tokens; a longer sample
/// gets a pass of its own. Returns where each pass ends.
std::vector<std::size_t> cut_passes(std::span<const std::size_t> lengths, std::size_t most);

}  // namespace cuset
