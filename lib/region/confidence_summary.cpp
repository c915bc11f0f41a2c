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
    const bool roles = tokens.roles.has_value();
    sample.has_roles = roles;
    std::vector<std::uint8_t> groups;
    if (roles) groups = groups_of_tokens(tokens.response, tokens.ends, *tokens.roles);
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
    sample.has_window = window.last > window.first;
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
    token_sum hardest;
    if (sample.has_window) hardest = {sample.hardest.mean, 1};
    samples.push_back({sample.key, sample.sums, hardest});
    if (sample.has_roles) group_sums.push_back(sample.group_sums);
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

token_sum sum_of(const token_sum& a, const token_sum& b) {
    return {a.sum + b.sum, a.count + b.count};
}

token_sum sensitive_sum(const sample_sums& sample) {
    return sum_of(sample.kinds[index_of(token_kind::kernel)],
                  sample.kinds[index_of(token_kind::launch)]);
}

token_sum neutral_sum(const sample_sums& sample) {
    return sample.kinds[index_of(token_kind::neutral)];
}

token_sum whole_sum(const sample_sums& sample) {
    return sum_of(sensitive_sum(sample), neutral_sum(sample));
}

token_sum hardest_sum(const sample_sums& sample) { return sample.hardest; }

using part_of_sample = token_sum (*)(const sample_sums&);

std::vector<token_sum> parts_of(std::span<const sample_sums> samples, part_of_sample part) {
    std::vector<token_sum> parts;
    for (const sample_sums& sample : samples) parts.push_back(part(sample));
    return parts;
}

hardest_summary summarize_hardest(std::span<const sample_sums> samples) {
    std::vector<double> means;
    for (const sample_sums& sample : samples)
        if (sample.hardest.count > 0) means.push_back(sample.hardest.sum);
    std::sort(means.begin(), means.end());
    hardest_summary summary{.samples = means.size(), .mean = NAN, .quantiles = {}};
    summary.quantiles.fill(NAN);
    if (means.empty()) return summary;
    double sum = 0;
    for (const double mean : means) sum += mean;
    summary.mean = sum / static_cast<double>(means.size());
    for (std::size_t i = 0; i < summary_shares.size(); ++i) {
        const double place = summary_shares[i] * static_cast<double>(means.size() - 1);
        const auto lower = static_cast<std::size_t>(place);
        const std::size_t upper = std::min(lower + 1, means.size() - 1);
        summary.quantiles[i] =
            means[lower] + (means[upper] - means[lower]) * (place - static_cast<double>(lower));
    }
    return summary;
}

/// The samples whose keys occur once, by key.
std::vector<sample_sums> with_own_key(std::vector<sample_sums> samples) {
    std::sort(samples.begin(), samples.end(),
              [](const auto& a, const auto& b) { return a.key < b.key; });
    std::vector<sample_sums> own;
    for (std::size_t i = 0, next = 0; i < samples.size(); i = next) {
        while (next < samples.size() && samples[next].key == samples[i].key) ++next;
        if (next == i + 1) own.push_back(samples[i]);
    }
    return own;
}

double mean_of(std::span<const token_sum> samples) {
    token_sum total;
    for (const token_sum& sample : samples) total = sum_of(total, sample);
    return total.count > 0 ? total.sum / static_cast<double>(total.count) : NAN;
}

}  // namespace

paired_summary compare(const confidence_statistics& first, const confidence_statistics& second) {
    const std::vector<sample_sums> a = with_own_key(first.samples),
                                   b = with_own_key(second.samples);
    std::vector<sample_sums> of_first, of_second;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        if (a[i].key == b[j].key) {
            of_first.push_back(a[i++]);
            of_second.push_back(b[j++]);
        } else if (a[i].key < b[j].key) {
            ++i;
        } else {
            ++j;
        }
    }
    const auto paired = [&](part_of_sample part) {
        const std::vector<token_sum> before = parts_of(of_first, part),
                                     after = parts_of(of_second, part);
        return paired_mean{mean_of(before), mean_of(after), difference_of_means(after, before)};
    };
    return {.pairs = of_first.size(),
            .unpaired = second.samples.size() - of_second.size(),
            .sensitive = paired(sensitive_sum),
            .neutral = paired(neutral_sum),
            .all = paired(whole_sum),
            .hardest = paired(hardest_sum)};
}

confidence_summary summarize(confidence_statistics& statistics, std::optional<double> threshold,
                             window_choice choice, bool within_cuda) {
    confidence_summary summary;
    summary.samples = statistics.samples.size();
    summary.samples_with_roles = statistics.group_sums.size();
    for (std::size_t kind = 0; kind < token_kinds; ++kind)
        summary.kinds[kind] = summarize(statistics.kinds[kind]);
    summary.groups = summarize_groups(statistics);
    summary.difference = difference_of_means(parts_of(statistics.samples, sensitive_sum),
                                             parts_of(statistics.samples, neutral_sum));
    summary.hardest = summarize_hardest(statistics.samples);

    confidence_counts counts;
    counts.add(statistics.kinds[index_of(token_kind::kernel)]);
    counts.add(statistics.kinds[index_of(token_kind::launch)]);
    summary.sensitive = summarize(counts);
    const confidence_counts& neutral = statistics.kinds[index_of(token_kind::neutral)];
    if (counts.size() > 0 && neutral.size() > 0)
        summary.test = test_kolmogorov_smirnov(counts, neutral);
    counts.add(neutral);
    summary.all = summarize(counts);

    summary.threshold = threshold.value_or(summary.kinds[index_of(token_kind::neutral)].mean);
    if (std::isnan(summary.threshold)) return summary;
    if (within_cuda)
        summary.on_cuda = count_low_on_cuda(statistics.kept, summary.threshold);
    else if (choice == window_choice::hardest)
        summary.windows = count_low_windows(statistics.windows, summary.threshold);
    else
        summary.windows = count_low_windows(statistics.kept, summary.threshold, choice);
    return summary;
}

}  // namespace cuset
