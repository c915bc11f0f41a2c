// Training objectives as coefficients of the token losses (ARCHITECTURE.md, Method). Each one is
//   loss of a sample = Σ_t k_t · (−log p_t) + β · Σ_t KL_t        (KL_t for asft only)
// where k_t comes from the forward pass itself and carries no gradient. That is what lets the fused
// head compute gradients before the sample's window is known, and scale them afterwards. The
// coefficients themselves are made where the model runs, by kernels::regions().
//
// Objectives that learn from verdicts have other losses, whose derivatives by log p take the place
// of the coefficients (the same way is exact for them):
//   dpo (Rafailov et al. 2023, Eq. 7; ε: Mitchell 2023, "conservative DPO"), of a pair:
//     −(1 − ε) log σ(z) − ε log σ(−z),   z = β · ((l_c − ref_c) − (l_r − ref_r))
//   where l is Σ_t log p_t of the chosen and of the rejected response and ref is that of the model
//   at the start; with length_normalise, both are divided by the response's tokens. The step's loss
//   is the mean over its pairs.
//   grpo (Shao et al. 2024, Eq. 3; clips of two sizes and the norm `tokens`: DAPO, Yu et al. 2025),
//   of a token of an answer with advantage A:
//     −min(r·A, clip(r, 1 − ε_low, 1 + ε_high)·A) + β · (e^d − d − 1)
//   where r = p_t / old_t, old_t is that of the model that drew the token, and d = ref_t − log p_t
//   (Schulman's estimate of the divergence from the model at the start). Tokens of masked answers
//   have no loss, and do not count into the step's tokens.
// Of both, a part of the tokens alone may have a loss (`blame`): sums and means are then those of
// that part, and so are the tokens that the step is divided by.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "cuset/kernels/region.h"
#include "cuset/train/data_set.h"
#include "cuset/train/token_masks.h"

namespace cuset {

enum class objective_kind : unsigned char {
    cuset,  ///< w · M_t, as in the paper's Eq. 9
    sft,    ///< 1
    dft,    ///< p_t
    eaft,  ///< (H₂₀ / 3)^α, H₂₀ the entropy of the 20 likeliest tokens renormalised, in nats
    asft,    ///< p_t, and β · KL(reference ‖ policy) beside it
    profit,  ///< 1[p_t ≥ τ]
    dpo,     ///< direct preference optimisation
    grpo,    ///< group-relative policy optimisation, of answers whose advantages are known
};

/// The tokens of a judged response that have a loss. The confidence is that of the model that drew
/// the response (grpo) or of the model at the start (dpo).
enum class blamed_part : unsigned char {
    all,
    code,       ///< those in kernels and launch configurations: cuset's CUDA mask
    confident,  ///< those with a confidence above τ: cuset's confidence mask
    cuset,      ///< those that cuset keeps: of one mask or the other
    window,     ///< those of the response's hardest window
};

/// The divisor of the sum of a step's sample losses.
enum class loss_norm : unsigned char {
    tokens,  ///< response tokens in the step
    sum,     ///< samples in the step: Eq. 9 read literally, a mean over samples of plain sums
    sample,  ///< as sum, each sample's loss divided by its own response tokens first
};

/// How cuset's confidence mask leaves tokens out. c is a token's confidence.
enum class mask_form : unsigned char {
    hard,      ///< 1[c > τ]
    soft,      ///< c / (c + τ), and 1 where τ is at most 0
    stubborn,  ///< 1[c > τ] for tokens that stay at or below τ (stubborn_tokens.h), 1 for others
};

/// What becomes of the samples' weights in a step.
enum class weight_form : unsigned char {
    plain,  ///< w
    mean1,  ///< w over the mean of the step's, over all processes
};

struct objective_settings {
    objective_kind kind = objective_kind::cuset;
    loss_norm norm = loss_norm::tokens;
    double tau = 0.1;                  ///< cuset, and blame by it: kept if c > τ; profit: p ≥ τ
    double lambda = 1;                 ///< cuset: the extra weight of CUDA tokens
    std::size_t window = 256;          ///< cuset, and blamed_part::window: l, in tokens
    bool confidence_mask = true;       ///< cuset: off counts every token as kept
    bool cuda_mask = true;             ///< cuset: off is λ = 0
    bool reweight = true;              ///< cuset: off is w = 1
    mask_form mask = mask_form::hard;  ///< cuset
    std::size_t tau_warmup = 0;        ///< cuset, profit: steps over which τ rises; see at_step()
    double weight_power = 1;           ///< cuset: w = (1 − C)^weight_power
    weight_form weights = weight_form::plain;  ///< cuset
    double alpha = 1;                          ///< eaft: the exponent
    double beta = 0.1;                        ///< asft, grpo: the weight of the divergence; dpo: β
    std::optional<role_set> sensitive_roles;  ///< cuset: of the CUDA mask; without, the spans
    bool drops_comments = false;              ///< cuset: neither in the CUDA mask nor in windows
    double label_smoothing = 0;               ///< dpo: ε, in [0, 0.5)
    bool length_normalise = false;            ///< dpo: means of log p in the place of sums

    /// Whether the mask needs to know what became of tokens in the epoch before.
    bool watches_tokens() const {
        return kind == objective_kind::cuset && confidence_mask && mask == mask_form::stubborn;
    }
    bool divides_weights() const {
        return kind == objective_kind::cuset && reweight && weights == weight_form::mean1;
    }
    /// What the samples' tags are read for.
    token_masks masks() const {
        const bool windows = kind == objective_kind::cuset && reweight;
        return {needs_tags(), sensitive_roles, drops_comments && (needs_tags() || windows)};
    }
    /// Whether samples must carry tags.
    bool needs_tags() const { return kind == objective_kind::cuset && cuda_mask && lambda != 0; }
    blamed_part blame = blamed_part::all;  ///< dpo, grpo
    /// Whether kernels and launches of the responses are looked for.
    bool blames_code() const { return blame == blamed_part::code || blame == blamed_part::cuset; }
    bool blames_by_tau() const {
        return blame == blamed_part::confident || blame == blamed_part::cuset;
    }
    double clip_low = 0.2, clip_high = 0.2;  ///< grpo: ε_low and ε_high
    bool keeps_truncated = false;  ///< grpo: answers that a limit of tokens ended are not masked
    /// Whether each pass needs the base model's hidden rows beside its own.
    bool needs_reference() const { return kind == objective_kind::asft; }
    /// Whether the log-probabilities of the model at the start are kept for the whole run.
    bool keeps_reference() const {
        return kind == objective_kind::dpo || (kind == objective_kind::grpo && beta != 0);
    }
    record_form records() const {
        if (kind == objective_kind::dpo) return record_form::preferences;
        return kind == objective_kind::grpo ? record_form::judged_answers : record_form::pairs;
    }
    /// Whether it learns from verdicts on responses instead of from responses alone.
    bool learns_from_verdicts() const { return records() != record_form::pairs; }
};

std::string_view name_of(objective_kind kind);
std::string_view name_of(loss_norm norm);
std::string_view name_of(blamed_part part);
std::optional<objective_kind> objective_by_name(std::string_view name);
std::optional<loss_norm> norm_by_name(std::string_view name);
std::optional<blamed_part> blamed_part_by_name(std::string_view name);
std::string_view name_of(mask_form form);
std::optional<mask_form> mask_form_by_name(std::string_view name);
std::string_view name_of(weight_form form);
std::optional<weight_form> weight_form_by_name(std::string_view name);

/// The settings of step `number`, from 0. Before step tau_warmup τ is τ · number / tau_warmup, so
/// that the first step leaves no token out but those of confidence 0 (profit: none).
objective_settings at_step(objective_settings settings, std::size_t number);

/// The settings with which kernels::regions() computes a step's coefficients. The step has
/// `step_tokens` response tokens in `step_samples` samples, over all micro-batches and processes.
kernels::region_settings region_settings_of(const objective_settings& settings,
                                            std::size_t step_tokens, std::size_t step_samples);

/// The divisor of a sample's coefficients in a step of `step_tokens` response tokens in
/// `step_samples` samples, over all micro-batches and processes.
double divisor(loss_norm norm, std::size_t sample_tokens, std::size_t step_tokens,
               std::size_t step_samples);

}  // namespace cuset
