#include "cuset/region/window.h"

#include <algorithm>

namespace cuset {

confidence_window window_search::hardest(std::span<const double> confidence, std::size_t size) {
    const std::size_t count = confidence.size();
    if (count == 0) return {};
    prefix_.resize(count + 1);
    prefix_[0] = {};
    for (std::size_t i = 0; i < count; ++i) {
        // Knuth's two-sum: value + lost is exact.
        const double a = prefix_[i].value, b = confidence[i], value = a + b, b_seen = value - a;
        prefix_[i + 1] = {value, prefix_[i].lost + ((a - (value - b_seen)) + (b - b_seen))};
    }

    const auto mean = [this](std::size_t first, std::size_t last) {
        const sum &a = prefix_[first], &b = prefix_[last];
        return ((b.value - a.value) + (b.lost - a.lost)) / static_cast<double>(last - first);
    };
    if (count < size) return {0, count, mean(0, count)};

    // What rounding can do to a mean: to itself, and to the compensations of the sums around it.
    constexpr double relative = 0x1p-49;
    const double absolute = prefix_[count].value * static_cast<double>(count) * 0x1p-104;
    const auto is_less = [&](double a, double b) { return a < b - b * relative - absolute; };
    const std::size_t before = size / 2, after = size - size / 2;  // of token t, itself in `after`
    confidence_window best{0, std::min(count, after), mean(0, std::min(count, after))};
    for (std::size_t t = 1; t < count; ++t) {
        const std::size_t first = t > before ? t - before : 0;
        const std::size_t last = std::min(count, t + after);
        if (const double m = mean(first, last); is_less(m, best.mean)) best = {first, last, m};
    }
    return best;
}

}  // namespace cuset
