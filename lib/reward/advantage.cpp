#include "cuset/reward/advantage.h"

#include <cmath>

namespace cuset {

void discount(std::span<double> rewards, double gamma) {
    for (std::size_t i = rewards.size(); i-- > 1;) rewards[i - 1] += gamma * rewards[i];
}

void make_advantages(std::span<double> group, const advantage_settings& settings) {
    const auto count = static_cast<double>(group.size());
    double sum = 0;
    for (const double value : group) sum += value;
    const double mean = sum / count;
    double squares = 0;
    for (double& value : group) {
        value -= mean;
        squares += value * value;
    }
    constexpr double least_deviation = 1e-4;
    double scale = 1;
    // r - (sum - r) / (n - 1) = (r - mean) n / (n - 1)
    if (settings.baseline == advantage_baseline::leave_one_out) scale = count / (count - 1);
    if (settings.divides_by_deviation) scale /= std::sqrt(squares / (count - 1)) + least_deviation;
    for (double& value : group) value *= scale;
}

}  // namespace cuset
