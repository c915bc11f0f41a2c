#include "cuset/statistics/pass_rate.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include "cuset/base/random_key.h"

namespace cuset {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

struct family_sum {
    double value = 0;
    double tasks = 0;
};

/// A family's sums, one a run.
using family_runs = std::vector<family_sum>;

std::vector<family_runs> sums_by_family(std::span<const task_value> tasks) {
    std::map<std::size_t, std::size_t> families, runs;
    for (const auto& task : tasks) {
        families.emplace(task.family, 0);
        runs.emplace(task.run, 0);
    }
    for (auto* numbers : {&families, &runs}) {
        std::size_t next = 0;
        for (auto& [key, number] : *numbers) number = next++;
    }
    std::vector<family_runs> sums(families.size(), family_runs(runs.size()));
    for (const auto& task : tasks) {
        auto& cell = sums[families[task.family]][runs[task.run]];
        cell.value += task.value;
        cell.tasks += 1;
    }
    return sums;
}

/// Whether all families have the mean `mean` in all runs.
bool is_constant(const std::vector<family_runs>& families, double mean) {
    for (const auto& family : families)
        for (const auto& cell : family)
            if (cell.tasks > 0 && std::abs(cell.value / cell.tasks - mean) > 1e-12) return false;
    return true;
}

/// An index in 0 … count - 1 from random bits; count < 2^32.
std::size_t index_from(std::uint64_t bits, std::size_t count) {
    return static_cast<std::size_t>(((bits >> 32) * count) >> 32);
}

/// The share of resampled means below one end of the interval, for n families.
double expanded_tail(std::size_t families) {
    const auto n = static_cast<double>(families);
    const double t = student_quantile(families, 0.975);
    return boost::math::cdf(boost::math::normal(), -std::sqrt(n / (n - 1)) * t);
}

/// A quantile by linear interpolation between the order statistics.
double quantile(const std::vector<double>& sorted, double share) {
    const double at = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// The standard deviation of a sample.
double deviation(std::span<const double> values) {
    const auto n = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
    double squares = 0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    return std::sqrt(squares / (n - 1));
}

}  // namespace

double student_quantile(std::size_t clusters, double share) {
    return boost::math::quantile(boost::math::students_t(static_cast<double>(clusters) - 1), share);
}

double pass_at_k(std::size_t samples, std::size_t passed, std::size_t k) {
    if (samples - passed < k) return 1;
    double all_fail = 1;
    for (std::size_t i = samples - passed + 1; i <= samples; ++i)
        all_fail *= 1 - static_cast<double>(k) / static_cast<double>(i);
    return 1 - all_fail;
}

double pass_at_mean_k(std::size_t samples, std::size_t passed, double k) {
    const auto whole = static_cast<std::size_t>(k);
    const double part = k - static_cast<double>(whole);
    const double below = pass_at_k(samples, passed, whole);
    return part > 0 ? below + part * (pass_at_k(samples, passed, whole + 1) - below) : below;
}

rate bootstrap_rate(std::span<const task_value> tasks, std::uint64_t seed, std::size_t resamples,
                    std::optional<value_bounds> bounds) {
    if (tasks.empty()) return {none, none, none, none};
    double sum = 0;
    for (const auto& task : tasks) sum += task.value;
    rate found{sum / static_cast<double>(tasks.size()), none, none, none};
    const auto families = sums_by_family(tasks);
    const std::size_t count = families.size();
    if (count < 2) return found;
    if (is_constant(families, found.mean)) {
        const double u = bounds ? 1 - std::pow(0.025, 1 / static_cast<double>(count)) : 0;
        const value_bounds limits = bounds.value_or(value_bounds{found.mean, found.mean});
        found.low = found.mean - u * (found.mean - limits.least);
        found.high = found.mean + u * (limits.most - found.mean);
        return found;
    }
    const std::size_t runs = families[0].size();
    std::vector<std::size_t> drawn_runs(std::max<std::size_t>(1, runs - 1));
    std::vector<double> means;
    for (std::size_t r = 0; r < resamples; ++r) {
        const std::uint64_t key = mixed_key(seed, r);
        for (std::size_t j = 0; j < drawn_runs.size(); ++j)
            drawn_runs[j] = runs > 1 ? index_from(mixed_key(key, count + j), runs) : 0;
        family_sum drawn;
        for (std::size_t i = 0; i < count; ++i) {
            const family_runs& family = families[index_from(mixed_key(key, i), count)];
            for (const std::size_t run : drawn_runs) {
                drawn.value += family[run].value;
                drawn.tasks += family[run].tasks;
            }
        }
        if (drawn.tasks > 0) means.push_back(drawn.value / drawn.tasks);
    }
    if (means.size() < 2) return found;
    std::sort(means.begin(), means.end());
    const double tail = expanded_tail(count);
    found.low = quantile(means, tail);
    found.high = quantile(means, 1 - tail);
    const auto n = static_cast<double>(count);
    found.error = deviation(means) * std::sqrt(n / (n - 1));
    return found;
}

rate student_rate(std::span<const double> runs) {
    if (runs.empty()) return {none, none, none, none};
    const auto n = static_cast<double>(runs.size());
    rate found{std::accumulate(runs.begin(), runs.end(), 0.0) / n, none, none, none};
    if (runs.size() < 2) return found;
    found.error = deviation(runs) / std::sqrt(n);
    const double half = student_quantile(runs.size(), 0.975) * found.error;
    found.low = found.mean - half;
    found.high = found.mean + half;
    return found;
}

double sign_test(std::size_t above, std::size_t below) {
    const std::size_t all = above + below;
    if (all == 0) return none;
    const boost::math::binomial half(static_cast<double>(all), 0.5);
    const auto fewer = static_cast<double>(std::min(above, below));
    return std::min(1.0, 2 * boost::math::cdf(half, fewer));
}

double detectable_difference(double error, std::size_t clusters) {
    if (clusters < 2 || !(error > 0)) return none;
    return (student_quantile(clusters, 0.975) + student_quantile(clusters, 0.8)) * error;
}

}  // namespace cuset
