#include "cuset/region/confidence_summary.h"

#include <algorithm>
#include <cmath>

namespace cuset {

namespace {

constexpr auto index_of(token_kind kind) { return static_cast<std::size_t>(kind); }

token_summary summarize(const confidence_counts& counts) {
    token_summary summary;
    summary.tokens = counts.size();
    summary.mean = counts.mean();
    const auto quantiles = counts.quantiles(summary_shares);
    std::copy(quantiles.begin(), quantiles.end(), summary.quantiles.begin());
    summary.density = counts.density();
    return summary;
}

}  // namespace

void sample_reader::read(std::span<const std::size_t> ends, std::span<const double> confidence,
                         std::span<const byte_span> kernels, std::span<const byte_span> launches,
                         sample_confidences& sample) {
    for (auto& cells : sample.cells) cells.clear();
    std::vector<bool> sensitive = sensitive_tokens(ends, kernels);
    const std::vector<bool> launching = sensitive_tokens(ends, launches);
    for (std::size_t i = 0; i < confidence.size(); ++i) {
        const auto kind = launching[i]   ? token_kind::launch
                          : sensitive[i] ? token_kind::kernel
                                         : token_kind::neutral;
        sensitive[i] = kind != token_kind::neutral;
        sample.cells[index_of(kind)].push_back(confidence_counts::cell_of(confidence[i]));
    }
    const confidence_window window = search_.hardest(confidence, size_);
    sample.hardest = {.mean = window.mean,
                      .cuda_rate = static_cast<float>(rate_on(sensitive, size_)),
                      .on_cuda = lies_on(sensitive, window.first, window.last)};
}

void confidence_statistics::add(const sample_confidences& sample) {
    for (std::size_t kind = 0; kind < token_kinds; ++kind)
        for (const auto cell : sample.cells[kind]) kinds[kind].add(cell);
    windows.push_back(sample.hardest);
}

confidence_summary summarize(confidence_statistics& statistics, std::optional<double> threshold) {
    confidence_summary summary;
    summary.samples = statistics.windows.size();
    for (std::size_t kind = 0; kind < token_kinds; ++kind)
        summary.kinds[kind] = summarize(statistics.kinds[kind]);

    confidence_counts sensitive;
    sensitive.add(statistics.kinds[index_of(token_kind::kernel)]);
    sensitive.add(statistics.kinds[index_of(token_kind::launch)]);
    summary.sensitive = summarize(sensitive);
    const confidence_counts& neutral = statistics.kinds[index_of(token_kind::neutral)];
    if (sensitive.size() > 0 && neutral.size() > 0)
        summary.test = test_kolmogorov_smirnov(sensitive, neutral);
    summary.threshold = threshold.value_or(summary.kinds[index_of(token_kind::neutral)].mean);
    if (!std::isnan(summary.threshold))
        summary.windows = count_low_windows(statistics.windows, summary.threshold);
    return summary;
}

}  // namespace cuset
