#include "verdict_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/expm1.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "cuset/model/device_kernels.h"
#include "token_blame.h"

namespace cuset {

namespace {

/// The values of all samples, one behind the other, as doubles on the device.
at::Tensor joined(std::span<const loss_sample> samples, std::span<const float> loss_sample::*values,
                  at::Device device) {
    std::vector<double> all;
    for (const loss_sample& sample : samples)
        all.insert(all.end(), (sample.*values).begin(), (sample.*values).end());
    return uploaded(all, device);
}

/// What token_blame says of all samples: for each row, and counted for each sample, at least 1.
struct blame_of_rows {
    std::vector<double> rows, counts;

    blame_of_rows(std::span<const loss_sample> samples, const objective_settings& settings) {
        for (const loss_sample& sample : samples) {
            const auto log_p =
                settings.kind == objective_kind::grpo ? sample.old_log_p : sample.reference;
            const auto own = token_blame(settings, sample.targets.size(), sample.sensitive, log_p);
            rows.insert(rows.end(), own.begin(), own.end());
            counts.push_back(std::max(1.0, std::accumulate(own.begin(), own.end(), 0.0)));
        }
    }
};

/// The sum of each sample's rows. A sum of sums by index would not have the same bits in every run
/// on a GPU.
at::Tensor sums_by_sample(const at::Tensor& rows, std::span<const std::int64_t> first_row) {
    std::vector<at::Tensor> sums;
    for (std::size_t s = 0; s + 1 < first_row.size(); ++s)
        sums.push_back(rows.narrow(0, first_row[s], first_row[s + 1] - first_row[s]).sum(0));
    return at::stack(sums);
}

at::Tensor kept_by_sample(const at::Tensor& row_scale, std::span<const std::int64_t> first_row) {
    return sums_by_sample((row_scale != 0).to(at::kDouble), first_row);
}

/// Gives each row its sample's value.
at::Tensor rows_of_samples(const at::Tensor& values, std::span<const std::int64_t> first_row) {
    std::vector<std::int64_t> sample_of_row;
    for (std::size_t s = 0; s + 1 < first_row.size(); ++s)
        sample_of_row.resize(static_cast<std::size_t>(first_row[s + 1]),
                             static_cast<std::int64_t>(s));
    return values.index_select(0, uploaded(sample_of_row, values.device()));
}

}  // namespace

verdict_loss preference_loss(const at::Tensor& log_probability,
                             std::span<const std::int64_t> first_row,
                             std::span<const loss_sample> samples,
                             const objective_settings& settings, const step_totals& totals) {
    const at::Device device = log_probability.device();
    const at::Tensor log_p = log_probability.to(at::kDouble);
    const blame_of_rows blame(samples, settings);
    const at::Tensor blamed = uploaded(blame.rows, device);
    const at::Tensor gained = (log_p - joined(samples, &loss_sample::reference, device)) * blamed;
    at::Tensor by_sample = sums_by_sample(gained, first_row);
    at::Tensor per_token;  // 1 / tokens of each sample
    if (settings.length_normalise) {
        std::vector<double> shares;
        for (const double count : blame.counts) shares.push_back(1 / count);
        per_token = uploaded(shares, device);
        by_sample = by_sample * per_token;
    }
    const at::Tensor sides = by_sample.view({-1, 2});
    const at::Tensor z = (sides.select(1, 0) - sides.select(1, 1)) * settings.beta;
    const double e = settings.label_smoothing, pairs = static_cast<double>(totals.samples);
    const at::Tensor loss = (at::log_sigmoid(z) * (e - 1) - at::log_sigmoid(-z) * e) / pairs;
    const at::Tensor pull =
        (at::sigmoid(-z) * (1 - e) - at::sigmoid(z) * e) * (settings.beta / pairs);
    at::Tensor scale = at::stack({pull, -pull}, 1).flatten();
    if (settings.length_normalise) scale = scale * per_token;
    const at::Tensor row_scale =
        (rows_of_samples(scale, first_row) * blamed + log_p * 0).to(at::kFloat);
    // A pair's figures stand with the chosen response, and the rejected one has zeros.
    const at::Tensor none = at::zeros_like(z);
    const auto of_chosen = [&](const at::Tensor& value) {
        return at::stack({value, none}, 1).flatten();
    };
    const at::Tensor nothing = at::zeros_like(by_sample);
    return {row_scale,
            at::stack({of_chosen(loss), kept_by_sample(row_scale, first_row), of_chosen(z),
                       of_chosen((z > 0).to(at::kDouble)), nothing, nothing, nothing},
                      1)};
}

verdict_loss policy_loss(const at::Tensor& log_probability, std::span<const std::int64_t> first_row,
                         std::span<const loss_sample> samples, const objective_settings& settings,
                         const step_totals& totals) {
    const at::Device device = log_probability.device();
    std::vector<double> advantages, shares, counts;
    const blame_of_rows blame(samples, settings);
    for (std::size_t s = 0; s < samples.size(); ++s) {
        const loss_sample& sample = samples[s];
        advantages.push_back(sample.advantage);
        counts.push_back(sample.is_masked ? 0 : 1);
        shares.push_back(sample.is_masked
                             ? 0
                             : 1 / divisor(settings.norm, static_cast<std::size_t>(blame.counts[s]),
                                           totals.tokens, totals.samples));
    }
    const auto in_rows = [&](const std::vector<double>& values) {
        return rows_of_samples(uploaded(values, device), first_row);
    };
    const at::Tensor blamed = uploaded(blame.rows, device);
    const at::Tensor advantage = in_rows(advantages), share = in_rows(shares) * blamed,
                     counted = in_rows(counts) * blamed;
    const at::Tensor log_p = log_probability.to(at::kDouble);
    const at::Tensor ratio = (log_p - joined(samples, &loss_sample::old_log_p, device)).exp();
    const double least = 1 - settings.clip_low, most = 1 + settings.clip_high;
    const at::Tensor gain = at::minimum(ratio * advantage, ratio.clamp(least, most) * advantage);
    const at::Tensor clipped =
        (((ratio < least) & (advantage < 0)) | ((ratio > most) & (advantage > 0))).to(at::kDouble);
    at::Tensor loss = -gain, pull = ratio * advantage * (1 - clipped),
               divergence = at::zeros_like(ratio);
    if (settings.beta != 0) {
        const at::Tensor apart = joined(samples, &loss_sample::reference, device) - log_p;
        const at::Tensor more = at::expm1(apart);
        divergence = more - apart;
        loss = loss + divergence * settings.beta;
        pull = pull + more * settings.beta;
    }
    const at::Tensor row_scale = (pull * share + log_p * 0).to(at::kFloat);
    const auto sum = [&](const at::Tensor& rows) { return sums_by_sample(rows, first_row); };
    const at::Tensor sums = sum(loss * share), nothing = at::zeros_like(sums);
    return {row_scale,
            at::stack({sums, kept_by_sample(row_scale, first_row), nothing, nothing,
                       sum(ratio * counted), sum(clipped * counted), sum(divergence * counted)},
                      1)};
}

}  // namespace cuset
