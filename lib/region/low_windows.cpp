#include "cuset/region/low_windows.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace cuset {

bool lies_on(const std::vector<bool>& sensitive, std::size_t first, std::size_t last) {
    const auto at = [&](std::size_t i) {
        return sensitive.begin() + static_cast<std::ptrdiff_t>(i);
    };
    return std::find(at(first), at(last), true) != at(last);
}

double rate_on(const std::vector<bool>& sensitive, std::size_t size) {
    const std::size_t count = sensitive.size();
    if (count < size) return count > 0 && lies_on(sensitive, 0, count) ? 1 : 0;
    const std::size_t before = size / 2, after = size - size / 2;
    std::size_t seen = 0;       // tokens looked at
    std::size_t past_last = 0;  // one past the last sensitive token among them; 0: none
    std::size_t on = 0;
    for (std::size_t t = 0; t < count; ++t) {
        const std::size_t first = t > before ? t - before : 0;
        const std::size_t last = std::min(count, t + after);
        for (; seen < last; ++seen)
            if (sensitive[seen]) past_last = seen + 1;
        on += past_last > first;
    }
    return static_cast<double>(on) / static_cast<double>(count);
}

low_windows count_low_windows(std::span<hardest_window> samples, double threshold) {
    std::sort(samples.begin(), samples.end(), [](const auto& a, const auto& b) {
        return std::tie(a.mean, a.cuda_rate, a.on_cuda) < std::tie(b.mean, b.cuda_rate, b.on_cuda);
    });
    low_windows found;
    found.samples = samples.size();
    double rates = 0;
    for (const hardest_window& sample : samples) {
        if (!(sample.mean < threshold)) break;
        ++found.low;
        found.on_cuda += sample.on_cuda;
        rates += sample.cuda_rate;
    }
    found.random_rate = found.low > 0 ? rates / static_cast<double>(found.low)
                                      : std::numeric_limits<double>::quiet_NaN();
    return found;
}

}  // namespace cuset
