// The model's head and the loss in one differentiable step that never holds [tokens × vocabulary]
// logits (ARCHITECTURE.md, Method). The host never waits for a GPU here.
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
    const std::vector<bool>* sensitive = nullptr;  ///< CUDA tokens; null or empty: none
    const std::vector<bool>* left_out = nullptr;   ///< of windows; null or empty: none
    double weight = 1;  ///< multiplies its loss, of objectives that learn from no verdicts
    /// log p of the targets by the model at the start, for objectives that keep it.
    std::span<const float> reference{};
    std::span<const float> old_log_p{};  ///< grpo: by the model that drew the targets
    double advantage = 0;                ///< grpo
    bool is_masked = false;              ///< grpo: no token counts
    /// cuset: the tokens that the confidence mask may leave out; null or empty: any.
    const std::vector<bool>* droppable = nullptr;
};

/// The numbers that the loss of a whole optimiser step is divided by (see divisor()).
struct step_totals {
    std::size_t tokens = 0, samples = 0;
};

/// What objectives that learn from verdicts tell of a sample. dpo's samples are the chosen and the
/// rejected response of a pair, one after the other, and the pair's figures stand with the chosen.
struct verdict_figures {
    double loss = 0;       ///< its share of the step's loss, divided
    double kept = 0;       ///< tokens with a coefficient
    double margin = 0;     ///< dpo: z, the difference of the rewards
    double preferred = 0;  ///< dpo: 1 if z > 0
    /// grpo, sums over the tokens of answers that are not masked: r, tokens whose gradient the clip
    /// took, and the divergence (0 where it has no weight).
    double ratio = 0, clipped = 0, divergence = 0;
};

struct sample_loss {
    double loss = 0;    ///< its share of the step's loss, divided
    double nll = 0;     ///< Σ −log p_t, undivided
    double weight = 1;  ///< w, without loss_sample::weight
    double mean_confidence = 0;
    std::size_t kept = 0;  ///< tokens with a coefficient
    std::size_t tokens = 0;
    bool finite = true;  ///< whether all of its log-probabilities are
    verdict_figures verdict{};
};

/// The results of a pass for its samples, whose rows are in their order. Tensors are on the pass's
/// device.
struct pass_outcome {
    at::Tensor log_probability;  ///< [rows] float
    at::Tensor row_scale;        ///< [rows] float: k_t over the divisor, times the sample's weight

    /// One for each sample. This waits for the device; nothing before it does.
    std::vector<sample_loss> samples() const;

    std::vector<std::int64_t> first_row;  ///< [samples + 1]
    at::Tensor regions;                   ///< [samples] of kernels::sample_region, as bytes
    at::Tensor penalty;  ///< [rows] float: asft's addition to the loss; undefined for other
                         ///< objectives
    at::Tensor weights;  ///< [samples] double: loss_sample::weight; undefined if all are 1
    at::Tensor figures;  ///< [samples] of verdict_figures, as doubles; undefined for other
                         ///< objectives
};

struct head_loss {
    at::Tensor loss;  ///< scalar; backward() reaches `hidden`, and `head` if that is trained
    pass_outcome outcome;
};

/// hidden [Σ targets × hidden size], float or bfloat16, and head [vocab × hidden size] are on one
/// device. `reference`: the same rows of the reference model, for objectives that need it. dpo
/// takes samples in pairs, the chosen response first; totals.samples counts pairs. For grpo
/// totals.tokens counts those of answers that are not masked.
///
/// With a frozen head, each chunk of rows computes logits = h·Wᵀ, then log p and H₂₀ in one pass,
/// then (softmax − onehot)·W. That is the gradient of each row before its coefficient; the
/// coefficient is known when all rows are through, and multiplies the row. This is exact, since
/// coefficients carry no gradient. With a trained head the logits are computed twice, because the
/// head's own gradient needs the coefficients in its product. The gradient of a sample whose
/// log-probabilities are not finite is NaN.
head_loss fused_head_loss(const at::Tensor& hidden, const at::Tensor& head,
                          std::span<const loss_sample> samples, const objective_settings& settings,
                          const step_totals& totals, const at::Tensor& reference = {});

/// The model's results for the same tokens, without a gradient, with the coefficients of plain
/// fine-tuning.
pass_outcome head_log_probabilities(const at::Tensor& hidden, const at::Tensor& head,
                                    std::span<const loss_sample> samples);

/// Completes those results with the figures of an objective that learns from verdicts.
void add_figures(pass_outcome& outcome, std::span<const loss_sample> samples,
                 const objective_settings& settings, const step_totals& totals);

}  // namespace cuset
