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
        // Equal confidences should give equal means: a difference of rounding is none.
        if (found && !(windows.means[i] < hardest.mean * (1 - 1e-14))) continue;
        hardest = window_at(i, windows.sensitive.size(), windows.size, windows.ends);
        hardest.mean = windows.means[i];
        found = true;
    }
    return hardest;
}

namespace {

/// A share of a sample's windows, and how many drawn windows it stands for.
struct drawn_windows {
    double rate = 0;
    std::uint64_t count = 0;
};

/// The mean over all drawn windows, in an order of its own.
double mean_rate(std::vector<drawn_windows>& drawn) {
    std::sort(drawn.begin(), drawn.end(), [](const auto& a, const auto& b) {
        return std::tie(a.rate, a.count) < std::tie(b.rate, b.count);
    });
    double sum = 0;
    std::uint64_t count = 0;
    for (const drawn_windows& d : drawn) {
        sum += d.rate * static_cast<double>(d.count);
        count += d.count;
    }
    return count > 0 ? sum / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
}

/// Low windows that overlap or touch, as tokens [first, last).
std::vector<confidence_window> low_regions(const window_series& sample, double threshold) {
    std::vector<confidence_window> regions;
    for (std::size_t i = 0; i < sample.means.size(); ++i) {
        if (!(sample.means[i] < threshold)) continue;
        const confidence_window w = window_at(i, sample.sensitive.size(), sample.size, sample.ends);
        if (regions.empty() || w.first > regions.back().last)
            regions.push_back(w);
        else
            regions.back().last = w.last;
    }
    return regions;
}

}  // namespace

low_windows count_low_windows(std::span<const window_series> samples, double threshold,
                              window_choice choice) {
    low_windows found;
    found.samples = samples.size();
    std::vector<drawn_windows> drawn;
    const auto count = [&](bool on_cuda, double rate) {
        ++found.windows;
        found.on_cuda += on_cuda;
        drawn.push_back({rate, 1});
    };
    for (const window_series& sample : samples) {
        const confidence_window hardest = hardest_of(sample, false);
        if (!(hardest.mean < threshold)) continue;
        ++found.low;
        if (choice == window_choice::regions) {
            for (const confidence_window& r : low_regions(sample, threshold))
                count(lies_on(sample.sensitive, r.first, r.last),
                      rate_on(sample.sensitive, r.last - r.first, window_ends::full));
            continue;
        }
        const double rate = rate_on(sample.sensitive, sample.size, sample.ends);
        if (choice == window_choice::hardest)
            count(lies_on(sample.sensitive, hardest.first, hardest.last), rate);
        else
            for (std::size_t i = 0; i < sample.means.size(); ++i)
                if (sample.means[i] < threshold) count(sample.on_cuda[i], rate);
    }
    found.random_rate = mean_rate(drawn);
    return found;
}

low_on_cuda count_low_on_cuda(std::span<const window_series> samples, double threshold) {
    low_on_cuda found;
    found.samples = samples.size();
    std::vector<drawn_windows> drawn;
    for (const window_series& sample : samples) {
        std::uint64_t low = 0, on_cuda = 0, both = 0;
        for (std::size_t i = 0; i < sample.means.size(); ++i) {
            const bool is_low = sample.means[i] < threshold;
            low += is_low;
            on_cuda += sample.on_cuda[i];
            both += is_low && sample.on_cuda[i];
        }
        found.low += both > 0;
        found.windows += on_cuda;
        found.below += both;
        if (on_cuda > 0)
            drawn.push_back(
                {static_cast<double>(low) / static_cast<double>(sample.means.size()), on_cuda});
    }
    found.random_rate = mean_rate(drawn);
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
