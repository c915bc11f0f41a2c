// How often tasks are solved, and how far chance could have moved that number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace cuset {

/// The quantile of Student's t with clusters − 1 degrees of freedom; at least two clusters.
double student_quantile(std::size_t clusters, double share);

/// 1 − Π (1 − k / i) for i = samples − passed + 1 … samples: the probability that at least one of
/// `k` candidates passes, drawn without replacement from `samples` of which `passed` do. Unbiased
/// for the rate at k (Chen et al. 2021, arXiv 2107.03374, eq. 1). 1 ≤ k ≤ samples, passed ≤
/// samples.
double pass_at_k(std::size_t samples, std::size_t passed, std::size_t k);

/// pass_at_k where the number of candidates is ⌊k⌋ or ⌈k⌉ at random, with the mean k: linear
/// between both. 1 ≤ k ≤ samples.
double pass_at_mean_k(std::size_t samples, std::size_t passed, double k);

/// A task's statistic: 1 if it is solved, its pass@k, or the difference between two models on it.
struct task_value {
    std::size_t family = 0;  ///< tasks of one family are variants of one problem, and alike
    double value = 0;
    std::size_t run = 0;  ///< of several trainings that differ in their seed
};

struct rate {
    double mean = 0;           ///< over all values: each run weighs as much as it has tasks
    double low = 0, high = 0;  ///< of its 95 % interval; NaN with fewer than two families
    double error = 0;          ///< standard error of the mean; NaN if no spread was seen
};

/// The limits of a statistic: 0 and 1 of a rate, -1 and 1 of a difference of rates.
struct value_bounds {
    double least = 0, most = 1;
};

/// The mean over tasks and runs, with an interval from a bootstrap over families and runs, which
/// are crossed: every run does every family. `resamples` times, as many families as there are are
/// drawn with replacement and, independently, one run fewer than there are (McCarthy and Snowden
/// 1985: with n - 1 of n draws the variance of few runs is not too small); of one run there is
/// nothing to draw. The quantiles are those of the expanded percentile interval for the families
/// (Hesterberg 2015, arXiv 1411.5279, §5.1: Φ(−√(n / (n − 1)) · t) for Student's t with n − 1
/// degrees of freedom), since the plain ones are too narrow for a few families. The standard error
/// is the resampled means' standard deviation times √(n / (n − 1)).
///
/// Where all families have the same mean c in all runs, resampling shows no spread. With `bounds`,
/// the interval then is [c − u (c − least), c + u (most − c)], where u = 1 − 0.025^(1/n) is the
/// exact 97.5 % limit (Clopper and Pearson 1934) for the share of families that are otherwise, when
/// 0 of n are; without, it is [c, c].
///
/// Without tasks all is NaN. The same values, order and seed give the same interval.
rate bootstrap_rate(std::span<const task_value> tasks, std::uint64_t seed,
                    std::size_t resamples = 10'000, std::optional<value_bounds> bounds = {});

/// The mean of one value a run, with Student's interval: mean ± t s / √n. NaN with fewer than two.
rate student_rate(std::span<const double> runs);

/// The exact two-sided sign test of `above` differences above 0 and `below` ones below: min(1, 2
/// P(X ≤ min(above, below))), X binomial of above + below with 1/2. NaN without any: ties say
/// nothing.
double sign_test(std::size_t above, std::size_t below);

/// The smallest true difference that a two-sided test at 5 % would tell from 0 in 80 % of such
/// experiments: (t₀.₉₇₅ + t₀.₈) · `error`, Student's t with `clusters` − 1 degrees of freedom. NaN
/// without an error or with fewer than two clusters.
double detectable_difference(double error, std::size_t clusters);

}  // namespace cuset
