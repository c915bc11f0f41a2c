#include "cuset/kernels/region.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "../both_sides.h"

namespace cuset::kernels {

namespace {

sample_region region_of(const region_settings& settings, const region_batch& batch,
                        std::size_t sample, std::vector<double>& confidence,
                        std::vector<double>& in_windows) {
    const std::int64_t row = batch.first_row[sample];
    const auto count = static_cast<std::size_t>(batch.first_row[sample + 1] - row);
    const float* const log_p = batch.log_probability + row;
    sample_region result{};
    result.weight = 1;
    result.window = {0, 0, 1};
    result.finite = 1;
    confidence.resize(count);
    for (std::size_t t = 0; t < count; ++t) {
        const auto value = static_cast<double>(log_p[t]);
        confidence[t] = std::exp(value);
        result.mean_confidence += confidence[t];
        result.nll -= value;
        if (!std::isfinite(value)) result.finite = 0;
    }
    if (count == 0) return result;
    result.mean_confidence /= static_cast<double>(count);
    if (settings.rule == token_rule::masks && settings.reweight) {
        const std::vector<double>* counted = &confidence;
        if (batch.left_out != nullptr) {
            in_windows.clear();
            for (std::size_t t = 0; t < count; ++t)
                if (batch.left_out[static_cast<std::size_t>(row) + t] == 0)
                    in_windows.push_back(confidence[t]);
            counted = &in_windows;
        }
        result.window = hardest_window(counted->data(), counted->size(), settings.window,
                                       batch.sums + row + sample);
        result.weight = weight_of(settings, result.window.mean);
    }

    const double divisor = divisor_of(settings, static_cast<std::int64_t>(count));
    for (std::size_t t = 0; t < count; ++t) {
        const std::size_t at = static_cast<std::size_t>(row) + t;
        const double power =
            settings.rule == token_rule::entropy
                ? std::pow(static_cast<double>(batch.entropy[at]) / entropy_scale, settings.alpha)
                : 0;
        const bool sensitive = batch.sensitive != nullptr && batch.sensitive[at] != 0;
        const bool droppable = batch.droppable == nullptr || batch.droppable[at] != 0;
        const double k = token_coefficient(settings, confidence[t], power, sensitive, droppable);
        if (k != 0) ++result.kept;
        const double weighted = result.weight * k;
        batch.row_scale[at] = static_cast<float>(weighted / divisor);
        if (weighted != 0) result.loss -= weighted * static_cast<double>(log_p[t]);
    }
    result.loss /= divisor;
    if (result.finite == 0) std::fill_n(batch.row_scale + row, count, NAN);
    return result;
}

}  // namespace

window_minimum hardest_window(const double* confidence, std::size_t count, std::size_t size,
                              window_sum* sums, bool clipped) {
    if (count == 0) return {0, 0, 1};
    sums[0] = {0, 0};
    for (std::size_t i = 0; i < count; ++i) sums[i + 1] = plus(sums[i], {confidence[i], 0});
    const auto n = static_cast<std::int64_t>(count);
    if (count < size) return {0, n, window_mean(sums, 0, n)};
    const auto l = static_cast<std::int64_t>(size);
    const double absolute = window_rounding(sums[count], n);
    // A window covers [t - l/2, t + (l+1)/2).
    const std::int64_t first = clipped ? 0 : l / 2, last = clipped ? n - 1 : n - (l + 1) / 2;
    window_minimum best = window_at(sums, first, n, l);
    for (std::int64_t t = first + 1; t <= last; ++t)
        if (const window_minimum w = window_at(sums, t, n, l); is_less(w.mean, best.mean, absolute))
            best = w;
    return best;
}

void regions(const region_settings& settings, const region_batch& batch) {
    std::vector<double> confidence, in_windows;
    for (std::size_t sample = 0; sample < batch.samples; ++sample)
        batch.results[sample] = region_of(settings, batch, sample, confidence, in_windows);
}

}  // namespace cuset::kernels
