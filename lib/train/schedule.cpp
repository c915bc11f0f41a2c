#include "cuset/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cuset {

std::string_view name_of(schedule_kind kind) {
    switch (kind) {
        case schedule_kind::cosine: return "cosine";
        case schedule_kind::linear: return "linear";
        case schedule_kind::constant: break;
    }
    return "constant";
}

std::optional<schedule_kind> schedule_by_name(std::string_view name) {
    for (const auto kind : {schedule_kind::cosine, schedule_kind::linear, schedule_kind::constant})
        if (name_of(kind) == name) return kind;
    return std::nullopt;
}

std::size_t warmup_steps(const schedule_settings& settings, std::size_t total) {
    if (settings.warmup >= 1) return static_cast<std::size_t>(settings.warmup);
    return static_cast<std::size_t>(std::ceil(settings.warmup * static_cast<double>(total)));
}

double learning_rate(const schedule_settings& settings, std::size_t step, std::size_t total) {
    const std::size_t warmup = warmup_steps(settings, total);
    if (step < warmup)
        return settings.peak * (static_cast<double>(step) / static_cast<double>(warmup));
    if (settings.kind == schedule_kind::constant) return settings.peak;
    const auto left =
        static_cast<double>(std::max<std::size_t>(1, total - std::min(total, warmup)));
    const double done = static_cast<double>(step - warmup) / left;
    if (settings.kind == schedule_kind::linear) return settings.peak * std::max(0.0, 1 - done);
    return settings.peak * std::max(0.0, (1 + std::cos(std::numbers::pi * done)) / 2);
}

}  // namespace cuset
