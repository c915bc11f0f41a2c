// The losses that learn from verdicts (objective.h), as operators on the log-probabilities of a
// pass: a few for each sample, and none that waits for a GPU. Private to lib/train.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "cuset/train/head_loss.h"
#include "cuset/train/objective.h"

namespace cuset {

inline constexpr std::size_t verdict_columns = 7;  ///< of verdict_figures

struct verdict_loss {
    at::Tensor row_scale;  ///< [rows] float: −d(loss) / d(log p); NaN where log p is not finite
    at::Tensor figures;    ///< [samples × verdict_columns] double: verdict_figures
};

/// dpo. Sample s has the rows [first_row[s], first_row[s + 1]) of log_probability [rows]; samples
/// 2i and 2i + 1 are the chosen and the rejected response of pair i. Computed in double.
verdict_loss preference_loss(const at::Tensor& log_probability,
                             std::span<const std::int64_t> first_row,
                             std::span<const loss_sample> samples,
                             const objective_settings& settings, const step_totals& totals);

/// grpo, of the same rows.
verdict_loss policy_loss(const at::Tensor& log_probability, std::span<const std::int64_t> first_row,
                         std::span<const loss_sample> samples, const objective_settings& settings,
                         const step_totals& totals);

}  // namespace cuset
