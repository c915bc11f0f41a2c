// From the log-probabilities of a batch to the factor of every row's gradient: confidences, window
// means and their minimum, sample weights, masks, divisor (ARCHITECTURE.md, Method). One call takes
// all samples, so that nothing between forward and backward waits for the host.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuset/kernels/device.h"

namespace cuset::kernels {

/// A sum of confidences and what rounding took from it: value + lost is exact to about 2^-104.
struct window_sum {
    double value, lost;
};

/// Tokens [first, last), from 0, and their mean confidence.
struct window_minimum {
    std::int64_t first, last;
    double mean;
};

/// The window of least mean among those of `size` > 0 tokens, one at every token, clipped at the
/// ends, or, without `clipped`, among those that no end clips; where count < size the whole
/// response. 0 tokens: an empty window of mean 1. `sums` lends memory for count + 1. The first
/// minimum wins; means that differ by less than rounding, 16 units in the last place, count as
/// equal. One pass.
window_minimum hardest_window(const double* confidence, std::size_t count, std::size_t size,
                              window_sum* sums, bool clipped = true);

/// What a token's coefficient k is made of. c is its confidence, exp(log p).
enum class token_rule : unsigned char {
    masks,       ///< w · (m + lambda · 1[sensitive]); m: see region_settings
    one,         ///< 1
    confidence,  ///< c
    entropy,     ///< (entropy / 3)^alpha
    threshold,   ///< 1[c ≥ tau]
};

/// What k is divided by.
enum class step_divisor : unsigned char {
    tokens,              ///< of the step
    samples,             ///< of the step
    samples_and_length,  ///< samples of the step times the tokens of this one
};

struct region_settings {
    token_rule rule = token_rule::masks;
    step_divisor divisor = step_divisor::tokens;
    double step_tokens = 1, step_samples = 1;
    double tau = 0.1, lambda = 1, alpha = 1;
    std::size_t window = 256;
    bool confidence_mask = true;  ///< masks: m is 1[c > tau]; off, it is 1
    bool reweight = true;         ///< masks: w is (1 - C)^weight_power; off, it is 1
    bool soft_mask = false;       ///< masks: m is c / (c + tau), 1 where tau is at most 0
    double weight_power = 1;
};

/// What became of a sample. The same bytes on either side.
struct sample_region {
    double loss;             ///< Σ k · (−log p), divided
    double nll;              ///< Σ −log p
    double weight;           ///< w
    double mean_confidence;  ///< 0 without tokens
    /// Only with token_rule::masks and reweight, else {0, 0, 1}. Of the tokens that count into
    /// windows, as if the response had no others.
    window_minimum window;
    std::int64_t kept;    ///< tokens with a coefficient, w aside
    std::int64_t finite;  ///< 1 if every log p is
};

/// Rows [first_row[s], first_row[s + 1]) are those of sample s, in order.
struct region_batch {
    std::size_t samples = 0;
    const std::int64_t* first_row = nullptr;  ///< [samples + 1], never falls, first_row[0] = 0
    const float* log_probability = nullptr;   ///< [rows]
    const float* entropy = nullptr;           ///< [rows], for token_rule::entropy
    const std::uint8_t* sensitive = nullptr;  ///< [rows], 0 or 1; null: none is
    window_sum* sums = nullptr;               ///< [rows + samples] of memory to work in
    float* row_scale = nullptr;               ///< [rows]: k, divided; see regions()
    sample_region* results = nullptr;         ///< [samples]
    const std::uint8_t* left_out = nullptr;   ///< [rows], 1: counts into no window; null: none
    /// [rows], 0: m is 1, whatever its confidence is; null: no token is such.
    const std::uint8_t* droppable = nullptr;
};

/// One thread. Confidences, means and sums are double. All scales of a sample with a log p that is
/// not finite are NaN: what they multiply shows it in its norm, without the host's help.
void regions(const region_settings& settings, const region_batch& batch);

/// The same, of device memory (all pointers of `batch`), a block a sample. The same bits in every
/// run. Sums are taken in another order than on the CPU: they differ by at most
/// 2^-52 · tokens · Σ|terms|, a window's mean by a few units in its last place, a row's scale by
/// one unit of float. Windows may differ only where two means are within 32 units of their last
/// place.
device_error regions(const region_settings& settings, const region_batch& batch,
                     device_stream stream);

}  // namespace cuset::kernels
