// Log-sum-exp over rows of logits: a strip of the vocabulary at a time for scoring, or a few whole
// rows at a time, with the gradient, for training. Either way the [tokens × vocabulary] matrix
// never exists. On a GPU, whole rows only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuset/kernels/device.h"
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
/// A logit of -inf adds nothing; NaN and +inf make the row's result NaN. The sum of a
/// strip is float in short runs and double over them: relative error below 5e-7.
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

enum class logit_type : unsigned char { float32, bfloat16 };

/// Rows of logits and where to leave what comes of them. Row r begins at base + r · stride
/// elements; rows need the alignment of an element and no more.
struct token_loss_rows {
    const void* logits = nullptr;
    logit_type type = logit_type::float32;
    std::size_t rows = 0, vocabulary = 0;   ///< at most 2^31 - 1 each
    std::size_t stride = 0;                 ///< of logits, in elements, at least `vocabulary`
    const std::int32_t* targets = nullptr;  ///< [rows], each in 0 … vocabulary - 1

    /// scale[r] · (softmax(logits[r]) − onehot(targets[r])); null: not wanted. May be `logits`
    /// itself where type and stride are the same, else it must not overlap. bfloat16 logits have
    /// bfloat16 gradients.
    void* gradient = nullptr;
    logit_type gradient_type = logit_type::float32;
    std::size_t gradient_stride = 0;
    const float* scale = nullptr;  ///< [rows]; null: 1

    float* log_probability = nullptr;  ///< [rows], at most 0
    float* entropy = nullptr;          ///< [rows], as top_entropy(); null: not wanted
};

/// Whether the functions below take `rows`.
bool is_valid(const token_loss_rows& rows);

/// All of it in one call. Relative error of a probability below 1e-5 (3e-6 on the CPU), absolute
/// error of log p below 4e-6 + 4e-7 · |log p|; a bfloat16 gradient is rounded to nearest
/// besides. A logit of -inf has probability 0. A row with NaN, +inf or nothing but -inf is NaN
/// throughout. `rows` must be valid. One thread.
void token_loss(const token_loss_rows& rows);

/// The same, of device memory, without atomics: the same bits in every run. A block takes a row,
/// reads it once for the sum and keeps as much of it as shared memory holds; what does not fit is
/// read again, last part first, while most of it is still in L2. Traffic to memory: read + write
/// for rows up to the shared memory of a multiprocessor (116,000 bfloat16 logits on Hopper), and
/// about that above. (A cluster a row would make it exact above: of 8192 × 131072 floats with
/// bfloat16 gradients it would save at most 2.6 of 9.0 GB, 0.6 ms beside 22 ms of products.)
device_error token_loss(const token_loss_rows& rows, device_stream stream);

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
