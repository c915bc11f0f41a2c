// Matrices of random values in each type that a model stores.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "cuset/kernels/decoder_rows.h"

namespace cuset::kernels {

inline std::vector<float> random_values(std::size_t count, unsigned seed) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal;
    std::vector<float> values(count);
    for (float& x : values) x = normal(generator);
    return values;
}

/// A matrix as stored, and what it holds.
template <class Weight>
struct stored_matrix {
    std::vector<Weight> bits;
    std::vector<float> values;
};

inline stored_matrix<float> stored(const std::vector<float>& values, float) {
    return {values, values};
}

inline stored_matrix<bfloat16_bits> stored(const std::vector<float>& values, bfloat16_bits) {
    stored_matrix<bfloat16_bits> matrix{std::vector<bfloat16_bits>(values.size()), values};
    narrow(values.data(), values.size(), matrix.bits.data());
    widen(matrix.bits.data(), values.size(), matrix.values.data());
    return matrix;
}

/// Halves of random bits between 2^-14 and 2^2, and a few below the normal ones.
inline stored_matrix<float16_bits> stored(const std::vector<float>& values, float16_bits) {
    stored_matrix<float16_bits> matrix{std::vector<float16_bits>(values.size()), values};
    std::mt19937 generator(static_cast<unsigned>(values.size()));
    for (auto& half : matrix.bits) {
        const auto random = static_cast<std::uint16_t>(generator());
        half = float16_bits{static_cast<std::uint16_t>(
            random % 17 == 0 ? random & 0x83ffU : (random & 0x83ffU) | (random % 18 + 1U) << 10)};
    }
    widen(matrix.bits.data(), values.size(), matrix.values.data());
    return matrix;
}

}  // namespace cuset::kernels
