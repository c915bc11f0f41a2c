#include "cuset/statistics/mean_difference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

namespace cuset {
namespace {

struct two_sums {
    token_sum a, b;
};

bool is_before(const two_sums& x, const two_sums& y) {
    return std::tie(x.a.sum, x.a.count, x.b.sum, x.b.count) <
           std::tie(y.a.sum, y.a.count, y.b.sum, y.b.count);
}

}  // namespace

mean_difference difference_of_means(std::span<const token_sum> first,
                                    std::span<const token_sum> second) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    constexpr double normal_quantile = 1.959963984540054;
    std::vector<two_sums> samples;
    for (std::size_t i = 0; i < first.size(); ++i) samples.push_back({first[i], second[i]});
    std::sort(samples.begin(), samples.end(), is_before);

    token_sum a, b;
    std::size_t with_a = 0, with_b = 0;
    for (const two_sums& s : samples) {
        a.sum += s.a.sum;
        a.count += s.a.count;
        b.sum += s.b.sum;
        b.count += s.b.count;
        with_a += s.a.count > 0;
        with_b += s.b.count > 0;
    }
    if (a.count == 0 || b.count == 0) return {nan, nan, nan};
    const auto n = static_cast<double>(a.count), m = static_cast<double>(b.count);
    const double mean_a = a.sum / n, mean_b = b.sum / m;
    const double difference = mean_a - mean_b;
    // Of a single sample with tokens the sum below is 0, which would look like certainty.
    if (with_a < 2 || with_b < 2) return {difference, nan, nan};
    double squares = 0;
    for (const two_sums& s : samples) {
        const double of_a = (s.a.sum - mean_a * static_cast<double>(s.a.count)) / n;
        const double of_b = (s.b.sum - mean_b * static_cast<double>(s.b.count)) / m;
        squares += (of_a - of_b) * (of_a - of_b);
    }
    const auto count = static_cast<double>(samples.size());
    const double half = normal_quantile * std::sqrt(count / (count - 1) * squares);
    return {difference, difference - half, difference + half};
}

}  // namespace cuset
