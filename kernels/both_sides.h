// Arithmetic that the CPU version and the GPU version of a kernel share. Both include this file.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "cuset/kernels/adamw.h"
#include "cuset/kernels/region.h"

#if defined(__CUDACC__)
#define CUSET_BOTH __host__ __device__
#else
#define CUSET_BOTH
#endif

namespace cuset::kernels {

/// Knuth's two-sum: value plus the error that goes into lost is exact.
CUSET_BOTH inline window_sum plus(window_sum a, window_sum b) {
    const double value = a.value + b.value, b_seen = value - a.value;
    const double error = (a.value - (value - b_seen)) + (b.value - b_seen);
    return {value, a.lost + b.lost + error};
}

/// The mean of the tokens [first, last); sums[i] is the sum of the first i.
CUSET_BOTH inline double window_mean(const window_sum* sums, std::int64_t first,
                                     std::int64_t last) {
    const window_sum a = sums[first], b = sums[last];
    return ((b.value - a.value) + (b.lost - a.lost)) / static_cast<double>(last - first);
}

/// The window at token t, from 0, of `count` ≥ size tokens.
CUSET_BOTH inline window_minimum window_at(const window_sum* sums, std::int64_t t,
                                           std::int64_t count, std::int64_t size) {
    const std::int64_t before = size / 2, after = size - size / 2;  // t itself is in `after`
    const std::int64_t first = t > before ? t - before : 0;
    const std::int64_t last = t + after < count ? t + after : count;
    return {first, last, window_mean(sums, first, last)};
}

/// Whether the mean a is less than b by more than rounding can change a mean: its own rounding,
/// and, through `absolute`, that of the compensations in the sums.
CUSET_BOTH inline bool is_less(double a, double b, double absolute) {
    return a < b - b * 0x1p-49 - absolute;
}
CUSET_BOTH inline double window_rounding(window_sum total, std::int64_t count) {
    return total.value * static_cast<double>(count) * 0x1p-104;
}

/// The coefficient k of a token, without the sample weight w.
CUSET_BOTH inline double token_coefficient(const region_settings& settings, double confidence,
                                           double entropy_power, bool sensitive, bool droppable) {
    switch (settings.rule) {
        case token_rule::one: return 1;
        case token_rule::confidence: return confidence;
        case token_rule::entropy: return entropy_power;
        case token_rule::threshold: return confidence >= settings.tau ? 1 : 0;
        case token_rule::masks: break;
    }
    double kept = 1;
    if (settings.confidence_mask && droppable) {
        if (!settings.soft_mask)
            kept = confidence > settings.tau ? 1 : 0;
        else if (settings.tau > 0)
            kept = confidence / (confidence + settings.tau);
    }
    return kept + (sensitive ? settings.lambda : 0);
}

/// The weight w of a sample whose hardest window has this mean confidence.
CUSET_BOTH inline double weight_of(const region_settings& settings, double window_mean) {
    // A mean may be above 1 by its rounding.
    const double weight = window_mean > 1 ? 0 : 1 - window_mean;
    return settings.weight_power == 1 ? weight : std::pow(weight, settings.weight_power);
}

CUSET_BOTH inline double divisor_of(const region_settings& settings, std::int64_t tokens) {
    switch (settings.divisor) {
        case step_divisor::tokens: return settings.step_tokens;
        case step_divisor::samples: return settings.step_samples;
        case step_divisor::samples_and_length: break;
    }
    return settings.step_samples * static_cast<double>(tokens);
}

/// EAFT divides by 3, about ln 20 = 2.996, so that the factor is about 1 if the model knows
/// nothing.
inline constexpr double entropy_scale = 3;

/// Computes the constants of an update. power1 and power2 are beta1^n and beta2^n at step n, from
/// 1.
CUSET_BOTH inline void prepare_update(const adamw_options& options, double learning_rate,
                                      double power1, double root_of_correction2,
                                      adamw_state& state) {
    state.learning_rate = learning_rate;
    // Clips as torch.nn.utils.clip_grad_norm_ does.
    const double clip = options.clip > 0 && state.norm + 1e-6 > options.clip
                            ? options.clip / (state.norm + 1e-6)
                            : 1;
    state.clip = static_cast<float>(clip);
    state.decay = static_cast<float>(1 - learning_rate * options.weight_decay);
    state.step_size = static_cast<float>(learning_rate / (1 - power1));
    state.second_scale = static_cast<float>(1 / root_of_correction2);
}

/// See dropout_key().
CUSET_BOTH inline std::uint64_t key_of_site(std::uint64_t key, std::uint64_t site) {
    std::uint64_t z = key + (site + 1) * 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

/// The hash of elements with these numbers, which dropout() compares with its threshold. It is
/// Murmur3's finaliser with the key's upper half in its middle and one more round after it, so that
/// close keys give unrelated hashes. Words are 32-bit unsigned integers or vectors of them. The
/// function is static: each instruction set compiles its own.
template <class Words>
CUSET_BOTH static inline Words dropout_hash(Words number, std::uint64_t key) {
    Words h = number + static_cast<std::uint32_t>(key);
    h = (h ^ (h >> 16)) * 0x85ebca6bU;
    h ^= static_cast<std::uint32_t>(key >> 32);
    h = (h ^ (h >> 13)) * 0xc2b2ae35U;
    h = (h ^ (h >> 16)) * 0x9e3779b1U;
    h ^= h >> 15;
    return h;
}

}  // namespace cuset::kernels
