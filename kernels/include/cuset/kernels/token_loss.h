// Log-sum-exp over rows of logits: a strip of the vocabulary at a time for scoring, or a few whole
// rows at a time, with the gradient, for training. Either way the [tokens × vocabulary] matrix
// never exists.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuset/kernels/instruction_set.h"

namespace cuset::kernels {

/// What is known of one row after some strips: log Σ exp(logit) = maximum + log(sum).
struct token_loss_state {
    float maximum;       ///< largest logit so far
    float sum;           ///< Σ exp(logit - maximum) so far
    float target_logit;  ///< the target's logit once its strip has passed
};

/// The state before the first strip.
inline constexpr token_loss_state empty_token_loss{-__builtin_huge_valf(), 0.0F,
                                                   -__builtin_huge_valf()};

/// One strip: `logits` is rows × width floats, row r beginning at logits + r * stride (stride ≥
/// width; no alignment is required); it holds vocabulary entries first_token … first_token + width
/// - 1. targets[r] is the row's target token. Merges the strip into states[r].
/// A logit of -inf adds nothing; NaN and +inf make the row's result NaN. The sum is float, kept in
/// vector lanes: relative error about 1e-6 for a vocabulary of 2^18.
void token_loss_strip(const float* logits, std::size_t rows, std::size_t width, std::size_t stride,
                      std::int32_t first_token, const std::int32_t* targets,
                      token_loss_state* states);

/// log_probability[r] = target_logit - maximum - log(sum), at most 0; NaN if the row had NaN, +inf
/// or nothing but -inf.
void token_loss_finish(const token_loss_state* states, std::size_t rows, float* log_probability);

/// Whole rows, for training: logits[r] becomes softmax(logits[r]) − onehot(targets[r]), the
/// gradient of −log p of the target; states[r] is what token_loss_finish() makes log p of. Layout
/// as above; width is the vocabulary. A row with NaN, +inf or nothing but -inf becomes NaN.
void token_loss_gradient(float* logits, std::size_t rows, std::size_t width, std::size_t stride,
                         const std::int32_t* targets, token_loss_state* states);

/// How many tokens top_entropy looks at.
inline constexpr std::size_t top_entropy_tokens = 20;

/// entropy[r], in nats, of the 20 largest logits of row r, renormalised among themselves (of all,
/// where width is less).
void top_entropy(const float* logits, std::size_t rows, std::size_t width, std::size_t stride,
                 float* entropy);

/// The functions above for one instruction set. Tests call each available table; the functions
/// above are those of the active one.
struct token_loss_table {
    void (*strip)(const float*, std::size_t, std::size_t, std::size_t, std::int32_t,
                  const std::int32_t*, token_loss_state*);
    void (*gradient)(float*, std::size_t, std::size_t, std::size_t, const std::int32_t*,
                     token_loss_state*);
    /// The 20 largest of each row, descending; -inf where the row has fewer.
    void (*top_tokens)(const float*, std::size_t, std::size_t, std::size_t, float*);
};

/// `set` must be available.
const token_loss_table& token_losses(instruction_set set);

}  // namespace cuset::kernels
