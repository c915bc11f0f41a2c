// The parts of a decoder layer between matrix products, on the CPU, one row at a time. Each reads
// its row once and writes the next product's input in that product's type (float, or bfloat16
// rounded to nearest even). They are single-threaded: the caller gives every thread its own rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuset/kernels/instruction_set.h"

namespace cuset::kernels {

/// The bits of a bfloat16: the upper half of a float.
enum class bfloat16_bits : std::uint16_t {};
/// The bits of an IEEE half.
enum class float16_bits : std::uint16_t {};

/// to[i] = from[i], exactly.
void widen(const bfloat16_bits* from, std::size_t count, float* to);
void widen(const float16_bits* from, std::size_t count, float* to);
/// to[i] = from[i] rounded to nearest even; NaN stays NaN.
void narrow(const float* from, std::size_t count, bfloat16_bits* to);

/// y = x / sqrt(mean(x²) + epsilon) · weight for each of `rows` rows of `width`; x and y are dense.
void rms_norm(const float* x, const float* weight, float epsilon, std::size_t rows,
              std::size_t width, float* y);
void rms_norm(const float* x, const float* weight, float epsilon, std::size_t rows,
              std::size_t width, bfloat16_bits* y);

/// The gradient for x from rms_norm's gradient dy, with a constant weight. With s = 1 /
/// sqrt(mean(x²) + epsilon): dx = s · weight · dy − x · s³ / width · Σ weight · dy · x, one row at
/// a time.
void rms_norm_gradient(const float* x, const float* weight, float epsilon, const float* dy,
                       std::size_t rows, std::size_t width, float* dx);

/// Rotates one head of one token: with h = width / 2 and for i < h,
///   y[i] = x[i]·cos[i] − x[i+h]·sin[i],   y[i+h] = x[i+h]·cos[i] + x[i]·sin[i],
/// the layout of Hugging Face checkpoints. y may be x.
void rotate(const float* x, const float* cosine, const float* sine, std::size_t width, float* y);
void rotate(const float* x, const float* cosine, const float* sine, std::size_t width,
            bfloat16_bits* y);

/// y[i] = gate[i] / (1 + exp(-gate[i])) · up[i]. y may be gate.
void swiglu(const float* gate, const float* up, std::size_t count, float* y);
void swiglu(const float* gate, const float* up, std::size_t count, bfloat16_bits* y);

/// The gradients for gate and up from swiglu's gradient dy, with σ = 1 / (1 + exp(-gate)):
///   d_gate = dy · up · σ · (1 + gate · (1 − σ)), d_up = dy · gate · σ.
void swiglu_gradient(const float* gate, const float* up, const float* dy, std::size_t count,
                     float* d_gate, float* d_up);

/// y = softmax(scale · x) over x[0 … valid - 1], and 0 in y[valid … width - 1]. scale > 0, valid ≥
/// 1. x is overwritten; y may be x. Returns log Σ exp(scale · x).
float softmax(float* x, float scale, std::size_t valid, std::size_t width, float* y);
float softmax(float* x, float scale, std::size_t valid, std::size_t width, bfloat16_bits* y);

/// One key's part of the gradient of attention, for `count` queries of which the first `hidden` do
/// not see the key. For the others, with the score s, the gradient dp of the weight p and the
/// query's log Σ exp and mean Σ p · dp: p[i] = exp(scale · s − log_sum), ds[i] = scale · p ·
/// (dp − mean). For the first `hidden` both are 0.
void attention_gradient(const float* s, const float* dp, const float* log_sum, const float* mean,
                        float scale, std::size_t hidden, std::size_t count, float* p, float* ds);
void attention_gradient(const float* s, const float* dp, const float* log_sum, const float* mean,
                        float scale, std::size_t hidden, std::size_t count, bfloat16_bits* p,
                        bfloat16_bits* ds);

/// y[i] += x[i].
void add(const float* x, std::size_t count, float* y);

/// y[i] = x[i] · scale if element number first + i is kept, else 0; y may be x. An element is kept
/// if its hash with `key` is at least `threshold` = p · 2^32, for a dropout rate of p. The mask is
/// a function of key and number alone: any part of it can be computed again, anywhere.
void dropout(const float* x, std::uint64_t key, std::uint32_t first, std::size_t count,
             std::uint32_t threshold, float scale, float* y);

/// y[i] += the result of dropout().
void add_dropout(const float* x, std::uint64_t key, std::uint32_t first, std::size_t count,
                 std::uint32_t threshold, float scale, float* y);

/// All functions above for one instruction set. Tests call each available table; the functions
/// above use the active one.
struct decoder_row_table {
    void (*widen_bfloat16)(const bfloat16_bits*, std::size_t, float*);
    void (*widen_float16)(const float16_bits*, std::size_t, float*);
    void (*narrow)(const float*, std::size_t, bfloat16_bits*);
    void (*rms_norm)(const float*, const float*, float, std::size_t, std::size_t, float*);
    void (*rms_norm_bfloat16)(const float*, const float*, float, std::size_t, std::size_t,
                              bfloat16_bits*);
    void (*rotate)(const float*, const float*, const float*, std::size_t, float*);
    void (*rotate_bfloat16)(const float*, const float*, const float*, std::size_t, bfloat16_bits*);
    void (*swiglu)(const float*, const float*, std::size_t, float*);
    void (*swiglu_bfloat16)(const float*, const float*, std::size_t, bfloat16_bits*);
    float (*softmax)(float*, float, std::size_t, std::size_t, float*);
    float (*softmax_bfloat16)(float*, float, std::size_t, std::size_t, bfloat16_bits*);
    void (*add)(const float*, std::size_t, float*);
    void (*dropout)(const float*, std::uint64_t, std::uint32_t, std::size_t, std::uint32_t, float,
                    float*);
    void (*add_dropout)(const float*, std::uint64_t, std::uint32_t, std::size_t, std::uint32_t,
                        float, float*);
    void (*rms_norm_gradient)(const float*, const float*, float, const float*, std::size_t,
                              std::size_t, float*);
    void (*swiglu_gradient)(const float*, const float*, const float*, std::size_t, float*, float*);
    void (*attention_gradient)(const float*, const float*, const float*, const float*, float,
                               std::size_t, std::size_t, float*, float*);
    void (*attention_gradient_bfloat16)(const float*, const float*, const float*, const float*,
                                        float, std::size_t, std::size_t, bfloat16_bits*,
                                        bfloat16_bits*);
};

/// `set` must be available.
const decoder_row_table& decoder_rows(instruction_set set);

}  // namespace cuset::kernels
