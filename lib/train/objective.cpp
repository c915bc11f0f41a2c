#include "cuset/train/objective.h"

#include <array>
#include <cmath>
#include <utility>

namespace cuset {

namespace {

constexpr std::array<std::pair<objective_kind, std::string_view>, 6> objective_names{{
    {objective_kind::cuset, "cuset"},
    {objective_kind::sft, "sft"},
    {objective_kind::dft, "dft"},
    {objective_kind::eaft, "eaft"},
    {objective_kind::asft, "asft"},
    {objective_kind::profit, "profit"},
}};

constexpr std::array<std::pair<loss_norm, std::string_view>, 3> norm_names{{
    {loss_norm::tokens, "tokens"},
    {loss_norm::sum, "sum"},
    {loss_norm::sample, "sample"},
}};

template <class Table, class Key>
std::string_view name_in(const Table& table, Key key) {
    for (const auto& [value, name] : table)
        if (value == key) return name;
    return "unknown";
}

/// ln 20 is 2.996: EAFT divides by 3, so that the factor is about 1 where the model knows nothing.
constexpr double entropy_scale = 3;

double token_coefficient(const objective_settings& settings, double confidence, double entropy,
                         bool sensitive) {
    switch (settings.kind) {
        case objective_kind::sft: return 1;
        case objective_kind::dft:
        case objective_kind::asft: return confidence;
        case objective_kind::eaft: return std::pow(entropy / entropy_scale, settings.alpha);
        case objective_kind::profit: return confidence >= settings.tau ? 1 : 0;
        case objective_kind::cuset: break;
    }
    const double kept = !settings.confidence_mask || confidence > settings.tau ? 1 : 0;
    return kept + (settings.cuda_mask && sensitive ? settings.lambda : 0);
}

}  // namespace

std::string_view name_of(objective_kind kind) { return name_in(objective_names, kind); }
std::string_view name_of(loss_norm norm) { return name_in(norm_names, norm); }

std::optional<objective_kind> objective_by_name(std::string_view name) {
    for (const auto& [value, text] : objective_names)
        if (text == name) return value;
    return std::nullopt;
}

std::optional<loss_norm> norm_by_name(std::string_view name) {
    for (const auto& [value, text] : norm_names)
        if (text == name) return value;
    return std::nullopt;
}

sample_coefficients coefficients(const objective_settings& settings, const token_outcomes& sample,
                                 window_search& search) {
    const std::size_t count = sample.log_probability.size();
    sample_coefficients result;
    if (count == 0) return result;
    std::vector<double> confidence(count);
    double sum = 0;
    for (std::size_t t = 0; t < count; ++t) {
        confidence[t] = std::exp(static_cast<double>(sample.log_probability[t]));
        sum += confidence[t];
    }
    result.mean_confidence = sum / static_cast<double>(count);
    if (settings.kind == objective_kind::cuset && settings.reweight)
        result.weight = sample_weight(search.hardest(confidence, settings.window).mean);

    const bool tagged = sample.sensitive != nullptr && !sample.sensitive->empty();
    result.token.resize(count);
    for (std::size_t t = 0; t < count; ++t) {
        const double k =
            token_coefficient(settings, confidence[t],
                              sample.entropy.empty() ? 0 : static_cast<double>(sample.entropy[t]),
                              tagged && (*sample.sensitive)[t]);
        if (k != 0) ++result.kept;
        result.token[t] = result.weight * k;
    }
    return result;
}

double divisor(loss_norm norm, std::size_t sample_tokens, std::size_t step_tokens,
               std::size_t step_samples) {
    switch (norm) {
        case loss_norm::tokens: return static_cast<double>(step_tokens);
        case loss_norm::sum: return static_cast<double>(step_samples);
        case loss_norm::sample: break;
    }
    return static_cast<double>(step_samples) * static_cast<double>(sample_tokens);
}

}  // namespace cuset
