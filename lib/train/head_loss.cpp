#include "cuset/train/head_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "cuset/model/device_kernels.h"
#include "cuset/model/float_product.h"
#include "cuset/model/target_log_probability.h"
#include "verdict_loss.h"

namespace cuset {

namespace {

using kernels::sample_region;

/// The bytes of logits that exist at a time: they stay in a CPU's last cache, or fill a GPU.
constexpr std::int64_t cpu_logit_bytes = std::int64_t{24} << 20;
constexpr std::int64_t gpu_logit_bytes = std::int64_t{512} << 20;

/// The number of rows of logits that are held at a time.
std::int64_t chunk_rows(const at::Tensor& hidden, const at::Tensor& head) {
    const std::int64_t budget = hidden.is_cpu() ? cpu_logit_bytes : gpu_logit_bytes;
    return std::max<std::int64_t>(
        16, budget / (head.size(0) * static_cast<std::int64_t>(sizeof(float))));
}

/// The samples in the form that the kernels need, on the device.
struct loss_batch {
    loss_batch(std::span<const loss_sample> samples, bool masks, at::Device device) {
        std::vector<std::int32_t> all;
        std::vector<std::uint8_t> flags, left_out_flags, droppable_flags;
        bool tagged = false, leaves_out = false, spares = false;
        first_row.push_back(0);
        for (const loss_sample& sample : samples) {
            all.insert(all.end(), sample.targets.begin(), sample.targets.end());
            first_row.push_back(std::ssize(all));
            tagged |= add_flags(sample.sensitive, all.size(), flags);
            leaves_out |= add_flags(sample.left_out, all.size(), left_out_flags);
            spares |= add_flags(sample.droppable, all.size(), droppable_flags, 1);
        }
        targets = uploaded(all, device);
        starts = uploaded(first_row, device);
        if (masks && tagged) sensitive = uploaded(flags, device);
        if (masks && leaves_out) left_out = uploaded(left_out_flags, device);
        if (masks && spares) droppable = uploaded(droppable_flags, device);
    }

    /// Makes `all` as long as `rows`; its end are `flags`, or `usual`. Returns whether there are
    /// any.
    static bool add_flags(const std::vector<bool>* flags, std::size_t rows,
                          std::vector<std::uint8_t>& all, std::uint8_t usual = 0) {
        all.resize(rows, usual);
        if (flags == nullptr || flags->empty()) return false;
        std::copy(flags->begin(), flags->end(), all.end() - std::ssize(*flags));
        return true;
    }

    std::vector<std::int64_t> first_row;
    at::Tensor targets, starts, sensitive, left_out, droppable;
};

template <class T>
T* data_of(const at::Tensor& t) {
    return t.defined() ? static_cast<T*>(t.data_ptr()) : nullptr;
}

/// Passes the rows of a batch through the head, a part of the logits at a time.
class head_pass {
public:
    head_pass(const at::Tensor& hidden, const at::Tensor& head,
              std::span<const loss_sample> samples, const kernels::region_settings& settings)
        : hidden_(hidden),
          head_(head),
          settings_(settings),
          device_(hidden.device()),
          rows_(hidden.size(0)),
          chunk_(std::clamp<std::int64_t>(rows_, 1, chunk_rows(hidden, head))),
          batch_(samples, settings.rule == kernels::token_rule::masks, device_) {
        outcome_.first_row = batch_.first_row;
        for (const loss_sample& sample : samples) {
            weights_.push_back(sample.weight);
            is_weighted_ |= sample.weight != 1;
        }
        outcome_.log_probability = floats(rows_);
        if (settings.rule == kernels::token_rule::entropy) entropy_ = floats(rows_);
    }

    /// Computes log-probabilities alone, for a rule without entropy.
    void look() {
        target_log_probabilities(hidden_, head_, batch_.targets, outcome_.log_probability);
        take_regions();
    }

    /// With `coefficients`, the rows' scales are those that it makes of the log-probabilities.
    template <class Coefficients>
    void learn(const Coefficients& coefficients) {
        prepare_products();
        const bool frozen = !head_.requires_grad();
        // Uses bfloat16 if the next product takes no more.
        const bool narrow = head_.scalar_type() == at::kBFloat16;
        d_hidden_ = floats(rows_, hidden_.size(1));
        at::Tensor narrowed;
        if (narrow)
            narrowed = at::empty({chunk_, head_.size(0)}, hidden_.options().dtype(at::kBFloat16));
        const auto gradient_of = [&](const at::Tensor& logits) {
            return narrow ? narrowed.narrow(0, 0, logits.size(0)) : logits;
        };
        for_chunks([&](std::int64_t row, std::int64_t count) {
            const at::Tensor logits = logits_of(hidden_, row, count);
            const at::Tensor gradient = frozen ? gradient_of(logits) : at::Tensor();
            lose(logits, row, gradient, {});
            if (frozen) rows_of(d_hidden_, row, count).copy_(outputs_->times(gradient));
        });
        take_regions();
        coefficients(outcome_);
        if (frozen) {
            d_hidden_.mul_(outcome_.row_scale.unsqueeze(1));
            return;
        }
        d_head_ = at::zeros_like(head_);
        for_chunks([&](std::int64_t row, std::int64_t count) {
            const at::Tensor logits = logits_of(hidden_, row, count);
            const at::Tensor gradient = gradient_of(logits);
            lose(logits, row, gradient, rows_of(outcome_.row_scale, row, count));
            take_gradients(gradient, row, count);
        });
    }

    /// asft: every coefficient is known at once, so a chunk's gradients are complete with the
    /// chunk.
    void learn_beside(const at::Tensor& reference, double beta, loss_norm norm,
                      const step_totals& totals) {
        prepare_products();
        d_hidden_ = floats(rows_, hidden_.size(1));
        if (head_.requires_grad()) d_head_ = at::zeros_like(head_);
        outcome_.penalty = floats(rows_);
        const at::Tensor shares = row_shares(norm, totals);
        for_chunks([&](std::int64_t row, std::int64_t count) {
            const at::Tensor policy = at::log_softmax(logits_of(hidden_, row, count), 1);
            const at::Tensor base = at::log_softmax(logits_of(reference, row, count), 1);
            const at::Tensor target =
                rows_of(batch_.targets, row, count).to(at::kLong).unsqueeze(1);
            const at::Tensor share = rows_of(shares, row, count);
            const at::Tensor chosen = policy.gather(1, target);
            rows_of(outcome_.log_probability, row, count).copy_(chosen.squeeze(1));
            const at::Tensor p = policy.exp(), p_base = base.exp(), k = chosen.exp();
            rows_of(outcome_.penalty, row, count)
                .copy_((p_base * (base - policy)).sum(1) * beta * share);
            at::Tensor d_logits = (p * k).scatter_add_(1, target, -k);
            d_logits.add_(p - p_base, beta).mul_(share.unsqueeze(1));
            take_gradients(d_logits, row, count);
        });
        take_regions();
        // Adds NaN if the coefficients or the divergence are NaN, else 0.
        d_hidden_.add_(((outcome_.row_scale + outcome_.penalty) * 0).unsqueeze(1));
    }

    /// The batch's loss, on the device.
    at::Tensor loss() const {
        if (outcome_.figures.defined()) return outcome_.figures.select(1, 0).sum().to(at::kFloat);
        static_assert(offsetof(sample_region, loss) == 0 && sizeof(sample_region) % 8 == 0);
        at::Tensor losses =
            outcome_.regions.view(at::kDouble).view({-1, sizeof(sample_region) / 8}).select(1, 0);
        if (outcome_.weights.defined()) losses = losses * outcome_.weights;
        at::Tensor loss = losses.sum();
        if (outcome_.penalty.defined()) loss = loss + outcome_.penalty.sum(at::kDouble);
        return loss.to(at::kFloat);
    }

    const at::Tensor& d_hidden() const { return d_hidden_; }
    const at::Tensor& d_head() const { return d_head_; }
    pass_outcome take_outcome() { return std::move(outcome_); }

private:
    static at::Tensor rows_of(const at::Tensor& t, std::int64_t first, std::int64_t count) {
        return t.narrow(0, first, count);
    }

    template <class... Extents>
    at::Tensor floats(Extents... extents) const {
        return at::empty({extents...}, at::TensorOptions().dtype(at::kFloat).device(device_));
    }

    template <class Chunk>
    void for_chunks(const Chunk& chunk) const {
        for (std::int64_t row = 0; row < rows_; row += chunk_)
            chunk(row, std::min(chunk_, rows_ - row));
    }

    /// All chunks share the head as products take it.
    void prepare_products() {
        inputs_.emplace(head_, true);
        outputs_.emplace(head_, false);
    }

    at::Tensor logits_of(const at::Tensor& hidden, std::int64_t row, std::int64_t count) const {
        return inputs_->times(rows_of(hidden, row, count));
    }

    /// token_loss() for rows that begin at `row`; `gradient` and `scale` may be undefined.
    void lose(const at::Tensor& logits, std::int64_t row, const at::Tensor& gradient,
              const at::Tensor& scale) const {
        kernels::token_loss_rows rows;
        rows.logits = logits.const_data_ptr();
        rows.rows = static_cast<std::size_t>(logits.size(0));
        rows.vocabulary = rows.stride = static_cast<std::size_t>(logits.size(1));
        rows.targets = data_of<const std::int32_t>(batch_.targets) + row;
        if (gradient.defined()) {
            rows.gradient = gradient.mutable_data_ptr();
            rows.gradient_type = gradient.scalar_type() == at::kBFloat16
                                     ? kernels::logit_type::bfloat16
                                     : kernels::logit_type::float32;
            rows.gradient_stride = rows.vocabulary;
            rows.scale = data_of<const float>(scale);
        }
        rows.log_probability = data_of<float>(outcome_.log_probability) + row;
        if (entropy_.defined()) rows.entropy = data_of<float>(entropy_) + row;
        token_loss(rows, device_);
    }

    void take_regions() {
        const auto count = std::ssize(batch_.first_row) - 1;
        const auto bytes = static_cast<std::int64_t>(sizeof(sample_region));
        outcome_.row_scale = floats(rows_);
        outcome_.regions = at::empty({count * bytes}, hidden_.options().dtype(at::kByte));
        const at::Tensor sums =
            at::empty({(rows_ + count) * 2}, hidden_.options().dtype(at::kDouble));
        static_assert(sizeof(kernels::window_sum) == 2 * sizeof(double));
        kernels::region_batch batch;
        batch.samples = static_cast<std::size_t>(count);
        batch.first_row = data_of<const std::int64_t>(batch_.starts);
        batch.log_probability = data_of<const float>(outcome_.log_probability);
        batch.entropy = data_of<const float>(entropy_);
        batch.sensitive = data_of<const std::uint8_t>(batch_.sensitive);
        batch.left_out = data_of<const std::uint8_t>(batch_.left_out);
        batch.droppable = data_of<const std::uint8_t>(batch_.droppable);
        batch.sums = data_of<kernels::window_sum>(sums);
        batch.row_scale = data_of<float>(outcome_.row_scale);
        batch.results = data_of<sample_region>(outcome_.regions);
        regions(settings_, batch, device_);
        if (!is_weighted_) return;
        outcome_.weights = uploaded(weights_, device_);
        outcome_.row_scale.mul_(
            uploaded(rows_by_sample([&](std::size_t s) { return weights_[s]; }), device_));
    }

    /// The value of each row's sample.
    template <class Value>
    std::vector<float> rows_by_sample(const Value& value) const {
        std::vector<float> all(static_cast<std::size_t>(rows_));
        for (std::size_t s = 0; s + 1 < batch_.first_row.size(); ++s)
            std::fill(all.begin() + batch_.first_row[s], all.begin() + batch_.first_row[s + 1],
                      static_cast<float>(value(s)));
        return all;
    }

    /// weight / divisor for each row, by its sample.
    at::Tensor row_shares(loss_norm norm, const step_totals& totals) const {
        const auto share = [&](std::size_t s) {
            const auto tokens =
                static_cast<std::size_t>(batch_.first_row[s + 1] - batch_.first_row[s]);
            return weights_[s] / divisor(norm, tokens, totals.tokens, totals.samples);
        };
        return uploaded(rows_by_sample(share), device_);
    }

    /// Adds the gradients of hidden and head that follow from d(loss)/d(logits) of some rows.
    void take_gradients(const at::Tensor& d_logits, std::int64_t row, std::int64_t count) {
        rows_of(d_hidden_, row, count).copy_(outputs_->times(d_logits));
        if (d_head_.defined())
            d_head_.addmm_(d_logits.t(), rows_of(hidden_, row, count).to(at::kFloat));
    }

    const at::Tensor &hidden_, &head_;
    kernels::region_settings settings_;
    at::Device device_;
    std::int64_t rows_, chunk_;
    loss_batch batch_;
    std::vector<double> weights_;                     // of the samples
    bool is_weighted_ = false;                        // one of them is not 1
    std::optional<product_matrix> inputs_, outputs_;  ///< x·headᵀ, and d_logits·head
    at::Tensor entropy_, d_hidden_, d_head_;
    pass_outcome outcome_;
};

struct head_function : torch::autograd::Function<head_function> {
    static at::Tensor forward(torch::autograd::AutogradContext* ctx, const at::Tensor& hidden,
                              const at::Tensor& head, std::span<const loss_sample> samples,
                              const objective_settings& settings, const step_totals& totals,
                              const at::Tensor* reference, pass_outcome& outcome) {
        // Passed by pointer: autograd takes every tensor among the arguments for a variable.
        head_pass pass(hidden, head, samples,
                       region_settings_of(settings, totals.tokens, totals.samples));
        if (settings.needs_reference())
            pass.learn_beside(*reference, settings.beta, settings.norm, totals);
        else
            pass.learn([&](pass_outcome& made) {
                if (settings.learns_from_verdicts()) add_figures(made, samples, settings, totals);
            });
        ctx->save_for_backward({pass.d_hidden(), pass.d_head()});
        ctx->saved_data["type"] = hidden.scalar_type();
        const at::Tensor loss = pass.loss();
        outcome = pass.take_outcome();
        return loss;
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                   torch::autograd::variable_list gradients) {
        const auto saved = ctx->get_saved_variables();
        const at::Tensor d_hidden =
            (saved[0] * gradients[0]).to(ctx->saved_data["type"].toScalarType());
        const at::Tensor d_head = saved[1].defined() ? saved[1] * gradients[0] : at::Tensor();
        return {d_hidden, d_head, {}, {}, {}, {}, {}};
    }
};

}  // namespace

std::vector<sample_loss> pass_outcome::samples() const {
    const at::Tensor bytes = regions.to(at::kCPU);
    const at::Tensor penalties = penalty.defined() ? penalty.to(at::kCPU) : at::Tensor();
    const at::Tensor factors = weights.defined() ? weights.to(at::kCPU) : at::Tensor();
    const at::Tensor verdicts = figures.defined() ? figures.to(at::kCPU) : at::Tensor();
    std::vector<sample_loss> samples;
    for (std::size_t s = 0; s + 1 < first_row.size(); ++s) {
        const sample_region& region = data_of<const sample_region>(bytes)[s];
        sample_loss sample{region.loss,
                           region.nll,
                           region.weight,
                           region.mean_confidence,
                           static_cast<std::size_t>(region.kept),
                           static_cast<std::size_t>(first_row[s + 1] - first_row[s]),
                           region.finite != 0};
        if (factors.defined()) sample.loss *= data_of<const double>(factors)[s];
        if (penalties.defined())
            for (std::int64_t row = first_row[s]; row < first_row[s + 1]; ++row)
                sample.loss += static_cast<double>(data_of<const float>(penalties)[row]);
        if (verdicts.defined()) {
            static_assert(sizeof(verdict_figures) == verdict_columns * sizeof(double));
            sample.verdict = data_of<const verdict_figures>(verdicts)[s];
            sample.loss = sample.verdict.loss;
            sample.kept = static_cast<std::size_t>(sample.verdict.kept);
        }
        samples.push_back(sample);
    }
    return samples;
}

head_loss fused_head_loss(const at::Tensor& hidden, const at::Tensor& head,
                          std::span<const loss_sample> samples, const objective_settings& settings,
                          const step_totals& totals, const at::Tensor& reference) {
    head_loss result;
    result.loss =
        head_function::apply(hidden, head, samples, settings, totals, &reference, result.outcome);
    return result;
}

pass_outcome head_log_probabilities(const at::Tensor& hidden, const at::Tensor& head,
                                    std::span<const loss_sample> samples) {
    kernels::region_settings plain;
    plain.rule = kernels::token_rule::one;
    head_pass pass(hidden, head, samples, plain);
    pass.look();
    return pass.take_outcome();
}

void add_figures(pass_outcome& outcome, std::span<const loss_sample> samples,
                 const objective_settings& settings, const step_totals& totals) {
    verdict_loss made =
        settings.kind == objective_kind::dpo
            ? preference_loss(outcome.log_probability, outcome.first_row, samples, settings, totals)
            : policy_loss(outcome.log_probability, outcome.first_row, samples, settings, totals);
    outcome.row_scale = std::move(made.row_scale);
    outcome.figures = std::move(made.figures);
}

}  // namespace cuset
