#include "cuset/train/head_loss.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cuset/kernels/token_loss.h"
#include "cuset/model/float_product.h"

namespace cuset {

namespace {

/// Bytes of logits that exist at a time: what stays in a CPU's last cache, and enough rows to fill
/// a GPU.
constexpr std::int64_t cpu_logit_bytes = std::int64_t{24} << 20;
constexpr std::int64_t gpu_logit_bytes = std::int64_t{512} << 20;

at::Tensor on_device(std::span<const std::int32_t> values, at::Device device) {
    return at::from_blob(const_cast<std::int32_t*>(values.data()),
                         {static_cast<std::int64_t>(values.size())}, at::kInt)
        .to(device, at::kLong);
}

void copy_out(const at::Tensor& values, float* to) {
    const at::Tensor host = values.to(at::kCPU, at::kFloat).contiguous();
    std::copy_n(host.const_data_ptr<float>(), host.numel(), to);
}

/// logits become softmax − onehot; log_p and, where not null, entropy get a value for each row.
void loss_rows(at::Tensor& logits, std::span<const std::int32_t> targets, float* log_p,
               float* entropy) {
    const std::int64_t rows = logits.size(0), vocab = logits.size(1);
    if (!logits.is_cpu()) {
        if (entropy != nullptr) {
            const auto count = static_cast<std::int64_t>(kernels::top_entropy_tokens);
            const at::Tensor top =
                at::log_softmax(std::get<0>(at::topk(logits, std::min(count, vocab), 1)), 1);
            copy_out(-(top.exp() * top).sum(1), entropy);
        }
        const at::Tensor target = on_device(targets, logits.device()).unsqueeze(1);
        const at::Tensor total = at::logsumexp(logits, 1, true);
        copy_out((logits.gather(1, target) - total).squeeze(1).clamp_max(0.0), log_p);
        logits.sub_(total).exp_();
        logits.scatter_add_(1, target, at::full({rows, 1}, -1.0F, logits.options()));
        return;
    }
    float* data = logits.data_ptr<float>();
    const auto width = static_cast<std::size_t>(vocab);
    at::parallel_for(0, rows, 4, [&](std::int64_t first, std::int64_t last) {
        std::vector<kernels::token_loss_state> states(static_cast<std::size_t>(last - first));
        const auto count = states.size();
        float* from = data + first * vocab;
        if (entropy != nullptr) kernels::top_entropy(from, count, width, width, entropy + first);
        kernels::token_loss_gradient(from, count, width, width, targets.data() + first,
                                     states.data());
        kernels::token_loss_finish(states.data(), count, log_p + first);
    });
}

/// How many rows of logits are held at a time.
std::int64_t chunk_rows(const at::Tensor& hidden, const at::Tensor& head) {
    const std::int64_t budget = hidden.is_cpu() ? cpu_logit_bytes : gpu_logit_bytes;
    return std::max<std::int64_t>(
        16, budget / (head.size(0) * static_cast<std::int64_t>(sizeof(float))));
}

/// Rows of one sample through the head, a chunk at a time.
class head_pass {
public:
    head_pass(const at::Tensor& hidden, const at::Tensor& head, const at::Tensor& reference,
              const objective_settings& settings, const step_totals& totals)
        : hidden_(hidden),
          head_(head),
          reference_(reference),
          settings_(settings),
          totals_(totals) {
        chunk_ = chunk_rows(hidden, head);
        d_hidden_ = at::empty({hidden.size(0), hidden.size(1)}, hidden.options().dtype(at::kFloat));
        if (head.requires_grad()) d_head_ = at::zeros_like(head);
    }

    /// Rows [first, first + targets) are the sample's.
    sample_loss add(std::int64_t first, const loss_sample& sample) {
        const std::size_t count = sample.targets.size();
        log_p_.resize(count);
        entropy_.resize(settings_.needs_entropy() ? count : 0);
        divergence_.assign(settings_.needs_reference() ? count : 0, 0);
        const double share = divisor(settings_.norm, count, totals_.tokens, totals_.samples);
        const bool divergence = settings_.needs_reference();
        for_chunks(first, count, [&](std::int64_t row, std::size_t from, std::size_t rows) {
            at::Tensor logits = logits_of(hidden_, row, rows);
            const auto targets = sample.targets.subspan(from, rows);
            if (divergence) {
                diverging_rows(logits, row, targets, from, share);
            } else {
                loss_rows(logits, targets, log_p_.data() + from,
                          entropy_.empty() ? nullptr : entropy_.data() + from);
                if (!d_head_.defined())
                    rows_of(d_hidden_, row, rows).copy_(float_product(logits, head_, false));
            }
        });

        sample_coefficients k =
            coefficients(settings_, {log_p_, entropy_, sample.sensitive}, search_);
        if (!divergence) scale_rows(first, sample, k, share);
        return outcome(std::move(k), share);
    }

    const at::Tensor& d_hidden() const { return d_hidden_; }
    const at::Tensor& d_head() const { return d_head_; }

private:
    static at::Tensor rows_of(const at::Tensor& t, std::int64_t first, std::size_t rows) {
        return t.narrow(0, first, static_cast<std::int64_t>(rows));
    }

    template <class Chunk>
    void for_chunks(std::int64_t first, std::size_t count, const Chunk& chunk) {
        const auto size = static_cast<std::size_t>(chunk_);
        for (std::size_t from = 0; from < count; from += size)
            chunk(first + static_cast<std::int64_t>(from), from, std::min(size, count - from));
    }

    at::Tensor logits_of(const at::Tensor& hidden, std::int64_t row, std::size_t rows) const {
        return float_product(rows_of(hidden, row, rows), head_, true);
    }

    at::Tensor column(std::span<const double> k, double share) const {
        std::vector<float> scaled(k.size());
        for (std::size_t i = 0; i < k.size(); ++i) scaled[i] = static_cast<float>(k[i] / share);
        return at::from_blob(scaled.data(), {static_cast<std::int64_t>(k.size()), 1}, at::kFloat)
            .to(hidden_.device(), at::kFloat, false, true);
    }

    void scale_rows(std::int64_t first, const loss_sample& sample, const sample_coefficients& k,
                    double share) {
        if (!d_head_.defined()) {
            if (!k.token.empty())
                rows_of(d_hidden_, first, k.token.size()).mul_(column(k.token, share));
            return;
        }
        std::vector<float> again(static_cast<std::size_t>(chunk_));
        for_chunks(first, k.token.size(),
                   [&](std::int64_t row, std::size_t from, std::size_t rows) {
                       at::Tensor logits = logits_of(hidden_, row, rows);
                       loss_rows(logits, sample.targets.subspan(from, rows), again.data(), nullptr);
                       logits.mul_(column(std::span(k.token).subspan(from, rows), share));
                       take_gradients(logits, row, rows);
                   });
    }

    /// Adds what d(loss)/d(logits) of some rows means for hidden and head.
    void take_gradients(const at::Tensor& d_logits, std::int64_t row, std::size_t rows) {
        rows_of(d_hidden_, row, rows).copy_(float_product(d_logits, head_, false));
        if (d_head_.defined())
            d_head_.addmm_(d_logits.t(), rows_of(hidden_, row, rows).to(at::kFloat));
    }

    /// asft: every coefficient is known at once, so the gradient is complete here.
    void diverging_rows(const at::Tensor& logits, std::int64_t row,
                        std::span<const std::int32_t> targets, std::size_t from, double share) {
        const std::size_t rows = targets.size();
        const at::Tensor policy = at::log_softmax(logits, 1);
        const at::Tensor base = at::log_softmax(logits_of(reference_, row, rows), 1);
        const at::Tensor target = on_device(targets, logits.device()).unsqueeze(1);
        const at::Tensor chosen = policy.gather(1, target);
        copy_out(chosen.squeeze(1), log_p_.data() + from);
        const at::Tensor p_base = base.exp();
        copy_out((p_base * (base - policy)).sum(1), divergence_.data() + from);
        const at::Tensor p = policy.exp();
        const at::Tensor k = chosen.exp();
        at::Tensor d_logits = (p * k).scatter_add_(1, target, -k);
        d_logits.add_(p - p_base, settings_.beta).div_(share);
        take_gradients(d_logits, row, rows);
    }

    sample_loss outcome(sample_coefficients k, double share) const {
        sample_loss result;
        result.weight = k.weight;
        result.mean_confidence = k.mean_confidence;
        result.kept = k.kept;
        result.tokens = log_p_.size();
        double loss = 0;
        for (std::size_t t = 0; t < log_p_.size(); ++t) {
            const double nll = -static_cast<double>(log_p_[t]);
            result.nll += nll;
            if (k.token[t] != 0) loss += k.token[t] * nll;
            if (!divergence_.empty()) loss += settings_.beta * static_cast<double>(divergence_[t]);
            if (!std::isfinite(nll)) result.finite = false;
        }
        result.loss = share == 0 ? 0 : loss / share;
        result.log_probability = log_p_;
        result.coefficient = std::move(k.token);
        return result;
    }

    const at::Tensor &hidden_, &head_, &reference_;
    const objective_settings& settings_;
    const step_totals& totals_;
    std::int64_t chunk_ = 0;
    at::Tensor d_hidden_, d_head_;
    std::vector<float> log_p_, entropy_, divergence_;
    window_search search_;
};

struct head_function : torch::autograd::Function<head_function> {
    static at::Tensor forward(torch::autograd::AutogradContext* ctx, const at::Tensor& hidden,
                              const at::Tensor& head, std::span<const loss_sample> samples,
                              const objective_settings& settings, const step_totals& totals,
                              const at::Tensor* reference, std::vector<sample_loss>& outcomes) {
        // By pointer: autograd takes every tensor among the arguments for a variable.
        head_pass pass(hidden, head, *reference, settings, totals);
        double loss = 0;
        std::int64_t first = 0;
        for (const loss_sample& sample : samples) {
            outcomes.push_back(pass.add(first, sample));
            loss += outcomes.back().loss;
            first += static_cast<std::int64_t>(sample.targets.size());
        }
        ctx->save_for_backward({pass.d_hidden(), pass.d_head()});
        ctx->saved_data["type"] = hidden.scalar_type();
        return at::scalar_tensor(loss, hidden.options().dtype(at::kFloat));
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

head_loss fused_head_loss(const at::Tensor& hidden, const at::Tensor& head,
                          std::span<const loss_sample> samples, const objective_settings& settings,
                          const step_totals& totals, const at::Tensor& reference) {
    head_loss result;
    result.loss =
        head_function::apply(hidden, head, samples, settings, totals, &reference, result.samples);
    return result;
}

std::vector<sample_loss> head_log_probabilities(const at::Tensor& hidden, const at::Tensor& head,
                                                std::span<const loss_sample> samples) {
    std::vector<sample_loss> results;
    const auto chunk = static_cast<std::size_t>(chunk_rows(hidden, head));
    std::int64_t row = 0;
    for (const loss_sample& sample : samples) {
        sample_loss result;
        result.tokens = sample.targets.size();
        result.log_probability.resize(result.tokens);
        for (std::size_t from = 0; from < result.tokens; from += chunk) {
            const auto targets =
                sample.targets.subspan(from, std::min(chunk, result.tokens - from));
            const auto rows = static_cast<std::int64_t>(targets.size());
            at::Tensor logits = float_product(hidden.narrow(0, row, rows), head, true);
            loss_rows(logits, targets, result.log_probability.data() + from, nullptr);
            row += rows;
        }
        for (const float log_p : result.log_probability) {
            result.nll -= static_cast<double>(log_p);
            result.mean_confidence += std::exp(static_cast<double>(log_p));
            if (!std::isfinite(log_p)) result.finite = false;
        }
        result.mean_confidence /= static_cast<double>(std::max<std::size_t>(1, result.tokens));
        results.push_back(std::move(result));
    }
    return results;
}

}  // namespace cuset
