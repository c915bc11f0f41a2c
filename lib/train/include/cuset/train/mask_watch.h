// Which tokens a confidence mask keeps out of the loss, and whether training ever brings them back.
// A token that is left out gets no gradient. If the model does not learn it by way of others, it is
// left out for ever: this happens where a model does not yet know the form of the answers.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cuset/train/data_set.h"
#include "cuset/train/objective.h"

namespace cuset {

/// Samples spread evenly over the data, in its order, with at most `most_tokens` in all, prompts
/// included; at least one.
std::vector<std::size_t> watched_samples(const data_set& data, std::size_t most_tokens = 4096);

/// Whether the objective leaves out tokens for their confidence alone.
bool has_confidence_mask(const objective_settings& settings);

/// Whether a token of this confidence has no coefficient.
bool is_dropped(const objective_settings& settings, double confidence, bool is_sensitive);

/// The tokens of the watched samples, before the first step and after an epoch.
struct dropped_counts {
    std::size_t tokens = 0;    ///< of the watched responses
    std::size_t at_first = 0;  ///< left out before the first step
    std::size_t still = 0;     ///< of those, left out after the epoch too
    double first_share() const;
    double still_share() const;
};

/// Counts; both have a number above 0 for each token that is left out.
dropped_counts count_dropped(std::span<const float> at_first, std::span<const float> now);

/// A warning with the figures, if tokens that never came back are many: at least 2 % of all, and
/// a quarter of those that were left out at first. `first_steps`: the share that each of the first
/// steps left out. Empty if all is well.
std::string warning_of(const dropped_counts& counts, const objective_settings& settings,
                       std::span<const double> first_steps, std::size_t step);

}  // namespace cuset
