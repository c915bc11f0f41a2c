// The learning rate of each step, as in transformers' get_scheduler.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace cuset {

enum class schedule_kind : unsigned char { cosine, linear, constant };

std::string_view name_of(schedule_kind kind);
std::optional<schedule_kind> schedule_by_name(std::string_view name);

struct schedule_settings {
    schedule_kind kind = schedule_kind::cosine;
    double peak = 1e-4;   ///< the learning rate at the end of warm-up
    double warmup = 0.1;  ///< below 1 a share of all steps, rounded up; else a number of steps
};

/// The number of steps in which the learning rate rises.
std::size_t warmup_steps(const schedule_settings& settings, std::size_t total);

/// The learning rate of step `step` (from 0) of `total`. It is peak · step / warm-up while it
/// rises, so 0 in the first step of a warm-up; then peak · (1 + cos(π·x)) / 2, peak · (1 − x) or
/// peak, where x is the share of the steps after the warm-up that are done.
double learning_rate(const schedule_settings& settings, std::size_t step, std::size_t total);

}  // namespace cuset
