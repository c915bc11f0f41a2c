#include "cuset/region/mean_difference.h"

#include <cmath>
#include <limits>

namespace cuset {
namespace {

token_sum total_of(std::span<const token_sum> samples) {
    token_sum total;
    for (const token_sum& s : samples) {
        total.sum += s.sum;
        total.count += s.count;
    }
    return total;
}

}  // namespace

mean_difference difference_of_means(std::span<const token_sum> first,
                                    std::span<const token_sum> second) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    constexpr double normal_quantile = 1.959963984540054;
    const token_sum a = total_of(first), b = total_of(second);
    if (a.count == 0 || b.count == 0) return {nan, nan, nan};
    const auto n = static_cast<double>(a.count), m = static_cast<double>(b.count);
    const double mean_a = a.sum / n, mean_b = b.sum / m;
    const double difference = mean_a - mean_b;
    if (first.size() < 2) return {difference, nan, nan};
    double squares = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
        const double of_a = (first[i].sum - mean_a * static_cast<double>(first[i].count)) / n;
        const double of_b = (second[i].sum - mean_b * static_cast<double>(second[i].count)) / m;
        squares += (of_a - of_b) * (of_a - of_b);
    }
    const auto samples = static_cast<double>(first.size());
    const double half = normal_quantile * std::sqrt(samples / (samples - 1) * squares);
    return {difference, difference - half, difference + half};
}

}  // namespace cuset
