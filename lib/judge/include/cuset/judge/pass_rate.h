// How often tasks are solved, and how far chance could have moved that number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cuset {

/// 1 − Π (1 − k / i) for i = samples − passed + 1 … samples: the probability that at least one of
/// `k` candidates passes, drawn without replacement from `samples` of which `passed` do. Unbiased
/// for the rate at k (Chen et al. 2021, arXiv 2107.03374, eq. 1). 1 ≤ k ≤ samples, passed ≤
/// samples.
double pass_at_k(std::size_t samples, std::size_t passed, std::size_t k);

/// A task's statistic: 1 if it is solved, its pass@k, or the difference between two models on it.
struct task_value {
    std::size_t family = 0;  ///< tasks of one family are variants of one problem, and alike
    double value = 0;
};

struct rate {
    double mean = 0;           ///< over tasks
    double low = 0, high = 0;  ///< of its 95 % interval; NaN with fewer than two families
};

/// The mean over tasks, with an interval from a bootstrap over families: `resamples` times, as many
/// families as there are are drawn with replacement. The quantiles are those of the expanded
/// percentile interval (Hesterberg 2015, arXiv 1411.5279, §5.1: Φ(−√(n / (n − 1)) · t) for
/// Student's t with n − 1 degrees of freedom), since the plain ones are too narrow for a few
/// families. Without tasks all is NaN. The same values, order and seed give the same interval.
rate bootstrap_rate(std::span<const task_value> tasks, std::uint64_t seed,
                    std::size_t resamples = 10'000);

}  // namespace cuset
