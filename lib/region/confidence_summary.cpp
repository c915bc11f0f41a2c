#include "cuset/region/confidence_summary.h"

#include <algorithm>
#include <cmath>
#include <utility>

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

void sample_reader::read(const scored_tokens& tokens, sample_confidences& sample) {
    for (auto& cells : sample.cells) cells.clear();
    for (auto& cells : sample.groups) cells.clear();
    sample.sums = {};
    sample.group_sums = {};
    const std::vector<bool> in_kernel = sensitive_tokens(tokens.ends, tokens.kernels);
    const std::vector<bool> launching = sensitive_tokens(tokens.ends, tokens.launches);
    const bool roles = !tokens.runs.empty() || reading_.needs_roles();
    std::vector<std::uint8_t> groups;
    if (roles) groups = groups_of_tokens(tokens.response, tokens.ends, tokens.runs);
    const auto comment = static_cast<std::size_t>(token_role::comment);

    std::vector<bool> sensitive;
    std::vector<double> kept;
    for (std::size_t i = 0; i < tokens.confidence.size(); ++i) {
        const std::size_t group = roles ? groups[i] : text_group;
        if (group == comment && reading_.comments == comment_use::drop) continue;
        bool launch = launching[i], code = launch || in_kernel[i];
        if (reading_.by_roles) {
            launch = group == static_cast<std::size_t>(token_role::launch);
            const bool stands = group == comment && in_kernel[i] &&
                                reading_.comments == comment_use::where_they_stand;
            code = is_sensitive_group(group) || stands;
        } else if (group == comment && reading_.comments == comment_use::neutral) {
            launch = code = false;
        }
        const auto kind = launch ? token_kind::launch
                          : code ? token_kind::kernel
                                 : token_kind::neutral;
        const double confidence = tokens.confidence[i];
        const auto cell = confidence_counts::cell_of(confidence);
        sample.cells[index_of(kind)].push_back(cell);
        sample.sums[index_of(kind)].sum += confidence;
        ++sample.sums[index_of(kind)].count;
        if (roles) {
            sample.groups[group].push_back(cell);
            sample.group_sums[group].sum += confidence;
            ++sample.group_sums[group].count;
        }
        sensitive.push_back(code);
        kept.push_back(confidence);
    }
    sample.windows = {};
    confidence_window window;
    if (reading_.keeps_windows || reading_.within_cuda) {
        window_series series = read_windows(kept, sensitive, size_, reading_.ends);
        window = hardest_of(series, reading_.within_cuda);
        if (reading_.keeps_windows) sample.windows = std::move(series);
    }
    if (!reading_.within_cuda) window = search_.hardest(kept, size_, reading_.ends);
    sample.hardest = {.mean = window.mean,
                      .cuda_rate = static_cast<float>(rate_on(sensitive, size_, reading_.ends)),
                      .on_cuda = lies_on(sensitive, window.first, window.last)};
}

void confidence_statistics::add(const sample_confidences& sample) {
    for (std::size_t kind = 0; kind < token_kinds; ++kind)
        for (const auto cell : sample.cells[kind]) kinds[kind].add(cell);
    for (std::size_t group = 0; group < token_group_count; ++group)
        for (const auto cell : sample.groups[group]) groups[group].add(cell);
    windows.push_back(sample.hardest);
    sums.push_back(sample.sums);
    group_sums.push_back(sample.group_sums);
    if (sample.windows.size > 0) kept.push_back(sample.windows);
}

namespace {

double share_not_above(const confidence_counts& counts, double threshold) {
    std::uint64_t below = 0;
    for (confidence_counts::cursor c(counts); !c.at_end(); c.advance())
        if (confidence_counts::value_of(c.at()) <= threshold) below += c.count();
    return static_cast<double>(below) / static_cast<double>(counts.size());
}

std::vector<group_summary> summarize_groups(const confidence_statistics& statistics) {
    std::vector<group_summary> all;
    for (std::size_t group = 0; group < token_group_count; ++group) {
        const confidence_counts& counts = statistics.groups[group];
        if (counts.size() == 0) continue;
        group_summary summary;
        summary.group = group;
        summary.tokens = summarize(counts);
        summary.not_above_mask = share_not_above(counts, mask_threshold);
        confidence_counts others;
        std::vector<token_sum> own, rest;
        for (std::size_t g = 0; g < token_group_count; ++g)
            if (g != group) others.add(statistics.groups[g]);
        for (const auto& sums : statistics.group_sums) {
            own.push_back(sums[group]);
            token_sum& sum = rest.emplace_back();
            for (std::size_t g = 0; g < token_group_count; ++g) {
                if (g == group) continue;
                sum.sum += sums[g].sum;
                sum.count += sums[g].count;
            }
        }
        if (others.size() > 0) summary.test = test_kolmogorov_smirnov(counts, others);
        summary.difference = difference_of_means(own, rest);
        all.push_back(std::move(summary));
    }
    return all;
}

mean_difference sensitive_difference(const confidence_statistics& statistics) {
    std::vector<token_sum> sensitive, neutral;
    for (const auto& sums : statistics.sums) {
        const token_sum& kernel = sums[index_of(token_kind::kernel)];
        const token_sum& launch = sums[index_of(token_kind::launch)];
        sensitive.push_back({kernel.sum + launch.sum, kernel.count + launch.count});
        neutral.push_back(sums[index_of(token_kind::neutral)]);
    }
    return difference_of_means(sensitive, neutral);
}

}  // namespace

confidence_summary summarize(confidence_statistics& statistics, std::optional<double> threshold,
                             window_choice choice, bool within_cuda) {
    confidence_summary summary;
    summary.samples = statistics.windows.size();
    for (std::size_t kind = 0; kind < token_kinds; ++kind)
        summary.kinds[kind] = summarize(statistics.kinds[kind]);
    summary.groups = summarize_groups(statistics);
    summary.difference = sensitive_difference(statistics);

    confidence_counts sensitive;
    sensitive.add(statistics.kinds[index_of(token_kind::kernel)]);
    sensitive.add(statistics.kinds[index_of(token_kind::launch)]);
    summary.sensitive = summarize(sensitive);
    const confidence_counts& neutral = statistics.kinds[index_of(token_kind::neutral)];
    if (sensitive.size() > 0 && neutral.size() > 0)
        summary.test = test_kolmogorov_smirnov(sensitive, neutral);
    summary.threshold = threshold.value_or(summary.kinds[index_of(token_kind::neutral)].mean);
    if (!std::isnan(summary.threshold))
        summary.windows =
            choice == window_choice::hardest
                ? count_low_windows(statistics.windows, summary.threshold)
                : count_low_windows(statistics.kept, summary.threshold, choice, within_cuda);
    return summary;
}

}  // namespace cuset
