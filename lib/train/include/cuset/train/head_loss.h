// The model's head and the loss in one differentiable step that never holds [tokens × vocabulary]
// logits (DESIGN §6).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cuset/train/objective.h"

namespace cuset {

/// One sample of a micro-batch: `targets` are its response tokens, in the order of its hidden rows.
struct loss_sample {
    std::span<const std::int32_t> targets;
    const std::vector<bool>* sensitive = nullptr;  ///< CUDA tokens; null: none
};

/// What the loss of a whole optimiser step is divided by (see divisor()).
struct step_totals {
    std::size_t tokens = 0, samples = 0;
};

struct sample_loss {
    double loss = 0;    ///< its share of the step's loss, divided
    double nll = 0;     ///< Σ −log p_t, undivided
    double weight = 1;  ///< w
    double mean_confidence = 0;
    std::size_t kept = 0;  ///< tokens with a coefficient
    std::size_t tokens = 0;
    bool finite = true;                  ///< whether all of its log-probabilities are
    std::vector<float> log_probability;  ///< log p_t
    std::vector<double> coefficient;     ///< k_t, undivided
};

struct head_loss {
    at::Tensor loss;  ///< scalar; backward() reaches `hidden`, and `head` where that is trained
    std::vector<sample_loss> samples;
};

/// hidden [Σ targets × hidden size], float or bfloat16, and head [vocab × hidden size] on one
/// device. `reference`: the same rows of the reference model, for objectives that need it.
///
/// With a frozen head: per chunk of rows, logits = h·Wᵀ, one pass for log p and H₂₀, softmax −
/// onehot in place, times W: the gradient of each row before its coefficient, which is known when
/// the sample is through and multiplies the row. Exact, since coefficients carry no gradient. With
/// a trained head the logits are made twice, because the head's own gradient needs the coefficients
/// in the product.
head_loss fused_head_loss(const at::Tensor& hidden, const at::Tensor& head,
                          std::span<const loss_sample> samples, const objective_settings& settings,
                          const step_totals& totals, const at::Tensor& reference = {});

/// What the model gives the same tokens, without a gradient: nll, mean_confidence, tokens, finite
/// and log_probability of each sample.
std::vector<sample_loss> head_log_probabilities(const at::Tensor& hidden, const at::Tensor& head,
                                                std::span<const loss_sample> samples);

}  // namespace cuset
