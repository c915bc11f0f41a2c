#include "cuset/train/objective.h"

#include <algorithm>
#include <array>
#include <utility>

namespace cuset {

namespace {

constexpr std::array<std::pair<objective_kind, std::string_view>, 8> objective_names{{
    {objective_kind::cuset, "cuset"},
    {objective_kind::sft, "sft"},
    {objective_kind::dft, "dft"},
    {objective_kind::eaft, "eaft"},
    {objective_kind::asft, "asft"},
    {objective_kind::profit, "profit"},
    {objective_kind::dpo, "dpo"},
    {objective_kind::grpo, "grpo"},
}};

constexpr std::array<std::pair<loss_norm, std::string_view>, 3> norm_names{{
    {loss_norm::tokens, "tokens"},
    {loss_norm::sum, "sum"},
    {loss_norm::sample, "sample"},
}};

constexpr std::array<std::pair<blamed_part, std::string_view>, 5> part_names{{
    {blamed_part::all, "all"},
    {blamed_part::code, "code"},
    {blamed_part::confident, "confident"},
    {blamed_part::cuset, "cuset"},
    {blamed_part::window, "window"},
}};

constexpr std::array<std::pair<mask_form, std::string_view>, 3> mask_names{{
    {mask_form::hard, "hard"},
    {mask_form::soft, "soft"},
    {mask_form::stubborn, "stubborn"},
}};

constexpr std::array<std::pair<weight_form, std::string_view>, 2> weight_names{{
    {weight_form::plain, "plain"},
    {weight_form::mean1, "mean1"},
}};

template <class Table, class Key>
std::string_view name_in(const Table& table, Key key) {
    for (const auto& [value, name] : table)
        if (value == key) return name;
    return "unknown";
}

template <class Key, std::size_t count>
std::optional<Key> value_in(const std::array<std::pair<Key, std::string_view>, count>& table,
                            std::string_view wanted) {
    for (const auto& [value, name] : table)
        if (name == wanted) return value;
    return std::nullopt;
}

}  // namespace

std::string_view name_of(objective_kind kind) { return name_in(objective_names, kind); }
std::string_view name_of(loss_norm norm) { return name_in(norm_names, norm); }
std::string_view name_of(blamed_part part) { return name_in(part_names, part); }
std::string_view name_of(mask_form form) { return name_in(mask_names, form); }
std::string_view name_of(weight_form form) { return name_in(weight_names, form); }

std::optional<objective_kind> objective_by_name(std::string_view name) {
    return value_in(objective_names, name);
}
std::optional<loss_norm> norm_by_name(std::string_view name) { return value_in(norm_names, name); }
std::optional<blamed_part> blamed_part_by_name(std::string_view name) {
    return value_in(part_names, name);
}
std::optional<mask_form> mask_form_by_name(std::string_view name) {
    return value_in(mask_names, name);
}
std::optional<weight_form> weight_form_by_name(std::string_view name) {
    return value_in(weight_names, name);
}

objective_settings at_step(objective_settings settings, std::size_t number) {
    if (number < settings.tau_warmup)
        settings.tau *= static_cast<double>(number) / static_cast<double>(settings.tau_warmup);
    return settings;
}

kernels::region_settings region_settings_of(const objective_settings& settings,
                                            std::size_t step_tokens, std::size_t step_samples) {
    using kernels::step_divisor;
    using kernels::token_rule;
    kernels::region_settings region;
    switch (settings.kind) {
        case objective_kind::cuset: region.rule = token_rule::masks; break;
        case objective_kind::sft:
        case objective_kind::dpo:
        case objective_kind::grpo: region.rule = token_rule::one; break;
        case objective_kind::dft:
        case objective_kind::asft: region.rule = token_rule::confidence; break;
        case objective_kind::eaft: region.rule = token_rule::entropy; break;
        case objective_kind::profit: region.rule = token_rule::threshold; break;
    }
    switch (settings.norm) {
        case loss_norm::tokens: region.divisor = step_divisor::tokens; break;
        case loss_norm::sum: region.divisor = step_divisor::samples; break;
        case loss_norm::sample: region.divisor = step_divisor::samples_and_length; break;
    }
    region.step_tokens = static_cast<double>(step_tokens);
    region.step_samples = static_cast<double>(step_samples);
    region.tau = settings.tau;
    region.lambda = settings.cuda_mask ? settings.lambda : 0;
    region.alpha = settings.alpha;
    region.window = settings.window;
    region.confidence_mask = settings.confidence_mask;
    region.reweight = settings.reweight;
    region.soft_mask = settings.mask == mask_form::soft;
    region.weight_power = settings.weight_power;
    return region;
}

double divisor(loss_norm norm, std::size_t sample_tokens, std::size_t step_tokens,
               std::size_t step_samples) {
    switch (norm) {
        // A step without a token that has a loss has a sum of 0.
        case loss_norm::tokens: return std::max(1.0, static_cast<double>(step_tokens));
        case loss_norm::sum: return static_cast<double>(step_samples);
        case loss_norm::sample: break;
    }
    return static_cast<double>(step_samples) * static_cast<double>(sample_tokens);
}

}  // namespace cuset
