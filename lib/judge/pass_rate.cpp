#include "cuset/judge/pass_rate.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "cuset/base/random_key.h"

namespace cuset {

namespace {

struct family_sum {
    double value = 0;
    double tasks = 0;
};

std::vector<family_sum> sums_by_family(std::span<const task_value> tasks) {
    std::map<std::size_t, family_sum> families;
    for (const auto& task : tasks) {
        auto& family = families[task.family];
        family.value += task.value;
        family.tasks += 1;
    }
    std::vector<family_sum> sums;
    for (const auto& [number, family] : families) sums.push_back(family);
    return sums;
}

/// An index in 0 … count - 1 from random bits; count < 2^32.
std::size_t index_from(std::uint64_t bits, std::size_t count) {
    return static_cast<std::size_t>(((bits >> 32) * count) >> 32);
}

/// The share of resampled means below one end of the interval, for n families.
double expanded_tail(std::size_t families) {
    const auto n = static_cast<double>(families);
    const boost::math::students_t student(n - 1);
    const double t = boost::math::quantile(student, 0.975);
    return boost::math::cdf(boost::math::normal(), -std::sqrt(n / (n - 1)) * t);
}

/// A quantile by linear interpolation between the order statistics.
double quantile(const std::vector<double>& sorted, double share) {
    const double at = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

double pass_at_k(std::size_t samples, std::size_t passed, std::size_t k) {
    if (samples - passed < k) return 1;
    double all_fail = 1;
    for (std::size_t i = samples - passed + 1; i <= samples; ++i)
        all_fail *= 1 - static_cast<double>(k) / static_cast<double>(i);
    return 1 - all_fail;
}

rate bootstrap_rate(std::span<const task_value> tasks, std::uint64_t seed, std::size_t resamples) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    if (tasks.empty()) return {none, none, none};
    double sum = 0;
    for (const auto& task : tasks) sum += task.value;
    rate found{sum / static_cast<double>(tasks.size()), none, none};
    const auto families = sums_by_family(tasks);
    if (families.size() < 2) return found;
    std::vector<double> means(resamples);
    for (std::size_t r = 0; r < resamples; ++r) {
        const std::uint64_t key = mixed_key(seed, r);
        family_sum drawn;
        for (std::size_t i = 0; i < families.size(); ++i) {
            const family_sum& family = families[index_from(mixed_key(key, i), families.size())];
            drawn.value += family.value;
            drawn.tasks += family.tasks;
        }
        means[r] = drawn.value / drawn.tasks;
    }
    std::sort(means.begin(), means.end());
    const double tail = expanded_tail(families.size());
    found.low = quantile(means, tail);
    found.high = quantile(means, 1 - tail);
    return found;
}

}  // namespace cuset
