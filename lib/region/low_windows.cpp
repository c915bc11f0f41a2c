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

std::size_t window_count(std::size_t tokens, std::size_t size, window_ends ends) {
    if (tokens < size) return tokens > 0 ? 1 : 0;
    return ends == window_ends::full ? tokens - size + 1 : tokens;
}

confidence_window window_at(std::size_t i, std::size_t tokens, std::size_t size, window_ends ends) {
    if (tokens < size) return {0, tokens, 1};
    if (ends == window_ends::full) return {i, i + size, 1};
    const std::size_t before = size / 2;
    return {i > before ? i - before : 0, std::min(tokens, i + size - before), 1};
}

window_series read_windows(std::span<const double> confidence, const std::vector<bool>& sensitive,
                           std::size_t size, window_ends ends) {
    const std::size_t tokens = confidence.size();
    std::vector<long double> sums(tokens + 1);
    std::vector<std::size_t> on(tokens + 1);
    for (std::size_t i = 0; i < tokens; ++i) {
        sums[i + 1] = sums[i] + static_cast<long double>(confidence[i]);
        on[i + 1] = on[i] + (sensitive[i] ? 1 : 0);
    }
    window_series out{size, ends, {}, sensitive, {}};
    const std::size_t windows = window_count(tokens, size, ends);
    for (std::size_t i = 0; i < windows; ++i) {
        const confidence_window w = window_at(i, tokens, size, ends);
        out.means.push_back(static_cast<double>((sums[w.last] - sums[w.first]) /
                                                static_cast<long double>(w.last - w.first)));
        out.on_cuda.push_back(on[w.last] > on[w.first]);
    }
    return out;
}

confidence_window hardest_of(const window_series& windows, bool within_cuda) {
    confidence_window hardest;
    bool found = false;
    for (std::size_t i = 0; i < windows.means.size(); ++i) {
        if (within_cuda && !windows.on_cuda[i]) continue;
        if (found && !(windows.means[i] < hardest.mean)) continue;
        hardest = window_at(i, windows.sensitive.size(), windows.size, windows.ends);
        hardest.mean = windows.means[i];
        found = true;
    }
    return hardest;
}

low_windows count_low_windows(std::span<const window_series> samples, double threshold,
                              window_choice choice, bool within_cuda) {
    low_windows found;
    found.samples = samples.size();
    double rates = 0;
    for (const window_series& sample : samples) {
        const std::size_t tokens = sample.sensitive.size();
        std::uint64_t low = 0;
        const double rate = rate_on(sample.sensitive, sample.size, sample.ends);
        confidence_window region{0, 0, 1};
        const auto end_region = [&] {
            if (region.last == 0) return;
            ++found.windows;
            found.on_cuda += lies_on(sample.sensitive, region.first, region.last);
            rates += rate_on(sample.sensitive, region.last - region.first, window_ends::full);
        };
        for (std::size_t i = 0; i < sample.means.size(); ++i) {
            if (!(sample.means[i] < threshold) || (within_cuda && !sample.on_cuda[i])) continue;
            ++low;
            if (choice == window_choice::all) {
                ++found.windows;
                found.on_cuda += sample.on_cuda[i];
                rates += rate;
            }
            const confidence_window w = window_at(i, tokens, sample.size, sample.ends);
            if (choice != window_choice::regions) continue;
            if (region.last == 0 || w.first > region.last) {
                end_region();
                region = w;
            }
            region.last = w.last;
        }
        if (choice == window_choice::regions) end_region();
        if (low == 0) continue;
        ++found.low;
        if (choice == window_choice::hardest) {
            const confidence_window w = hardest_of(sample, within_cuda);
            ++found.windows;
            found.on_cuda += lies_on(sample.sensitive, w.first, w.last);
            rates += rate;
        }
    }
    found.random_rate = found.windows > 0 ? rates / static_cast<double>(found.windows)
                                          : std::numeric_limits<double>::quiet_NaN();
    return found;
}

double rate_on(const std::vector<bool>& sensitive, std::size_t size, window_ends ends) {
    const std::size_t count = sensitive.size();
    if (count < size) return count > 0 && lies_on(sensitive, 0, count) ? 1 : 0;
    std::size_t seen = 0;       // tokens looked at
    std::size_t past_last = 0;  // one past the last sensitive token among them; 0: none
    std::size_t on = 0;
    const std::size_t windows = window_count(count, size, ends);
    for (std::size_t i = 0; i < windows; ++i) {
        const auto [first, last, mean] = window_at(i, count, size, ends);
        for (; seen < last; ++seen)
            if (sensitive[seen]) past_last = seen + 1;
        on += past_last > first;
    }
    return static_cast<double>(on) / static_cast<double>(windows);
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
    found.windows = found.low;
    found.random_rate = found.low > 0 ? rates / static_cast<double>(found.low)
                                      : std::numeric_limits<double>::quiet_NaN();
    return found;
}

}  // namespace cuset
