#include "cuset/train/mask_watch.h"

#include <algorithm>

#include "cuset/base/format.h"

namespace cuset {

namespace {

/// A start from a chat model, after which no answer held a kernel, still left out 5.7 % of all
/// tokens after an epoch, 39 % of those of the first look; starts from a model that knew the form
/// 0.3 % (examples/evidence/RESULTS.md).
constexpr double many_tokens = 0.02, many_of_the_first = 0.25;

double share(std::size_t part, std::size_t all) {
    return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0;
}

}  // namespace

double dropped_counts::first_share() const { return share(at_first, tokens); }
double dropped_counts::still_share() const { return share(still, tokens); }

std::vector<std::size_t> watched_samples(const data_set& data, std::size_t most_tokens) {
    std::size_t all = 0;
    for (const auto& pair : data.pairs) all += pair.tokens.size();
    const std::size_t mean = std::max<std::size_t>(1, all / data.pairs.size());
    const std::size_t wanted = std::clamp<std::size_t>(most_tokens / mean, 1, data.pairs.size());
    std::vector<std::size_t> chosen;
    std::size_t tokens = 0;
    for (std::size_t i = 0; i < wanted; ++i) {
        const std::size_t sample = i * data.pairs.size() / wanted;
        tokens += data.pairs[sample].tokens.size();
        if (!chosen.empty() && tokens > most_tokens) break;
        chosen.push_back(sample);
    }
    return chosen;
}

bool has_confidence_mask(const objective_settings& settings) {
    return settings.kind == objective_kind::profit ||
           (settings.kind == objective_kind::cuset && settings.confidence_mask &&
            settings.mask == mask_form::hard);
}

bool is_dropped(const objective_settings& settings, double confidence, bool is_sensitive) {
    if (!has_confidence_mask(settings)) return false;
    if (settings.kind == objective_kind::profit) return confidence < settings.tau;
    const bool is_on_top = is_sensitive && settings.cuda_mask && settings.lambda != 0;
    return confidence <= settings.tau && !is_on_top;
}

dropped_counts count_dropped(std::span<const float> at_first, std::span<const float> now) {
    dropped_counts counts{at_first.size(), 0, 0};
    for (std::size_t i = 0; i < at_first.size(); ++i) {
        if (at_first[i] <= 0) continue;
        ++counts.at_first;
        counts.still += now[i] > 0;
    }
    return counts;
}

std::string warning_of(const dropped_counts& counts, const objective_settings& settings,
                       std::span<const double> first_steps, std::size_t step) {
    if (counts.still_share() < many_tokens ||
        share(counts.still, counts.at_first) < many_of_the_first)
        return {};
    std::string steps;
    for (const double dropped : first_steps)
        steps += format("%s%.1f", steps.empty() ? "" : ", ", 100 * dropped);
    return format(
               "the confidence mask (tau %g) leaves %.1f %% of the response tokens untaught: of "
               "%zu watched tokens it left out %zu before the first step, and %zu of these still "
               "after step %zu",
               settings.tau, 100 * counts.still_share(), counts.tokens, counts.at_first,
               counts.still, step) +
           (steps.empty() ? "" : " (the first steps left out " + steps + " %)") +
           "; a token that is left out has no gradient: train this model by sft first, or see "
           "\"cold start\" in cuset-train(1)";
}

}  // namespace cuset
