// What a quantised matrix holds, by plain formulas, and models of such weights.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "cuset/kernels/quantised_panels.h"
#include "cuset/model/causal_lm.h"
#include "random_model.h"

namespace cuset {

inline float rounded(float x) {
    kernels::bfloat16_bits bits{};
    kernels::narrow(&x, 1, &bits);
    kernels::widen(&bits, 1, &x);
    return x;
}

/// What `matrix` is after it was quantised, element by element, with the kernels that make codes of
/// a block, a group and a row.
inline std::vector<float> dequantised(quantisation kind, const std::vector<float>& x,
                                      std::int64_t columns) {
    std::vector<float> out(x.size());
    if (kind == quantisation::int8) {
        const auto k = static_cast<std::size_t>(columns);
        std::vector<std::int8_t> codes(k);
        for (std::size_t row = 0; row < x.size() / k; ++row) {
            const float scale = kernels::quantise_int8(&x[row * k], k, codes.data()) / 127.0F;
            for (std::size_t i = 0; i < k; ++i)
                out[row * k + i] = static_cast<float>(codes[i]) * scale;
        }
        return out;
    }
    const auto size = kernels::nf4_block;
    std::vector<std::uint8_t> codes(x.size());
    std::vector<float> absmax;
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); i += size) {
        absmax.push_back(kernels::quantise_nf4(&x[i], std::min(size, x.size() - i), &codes[i]));
        sum += double{absmax.back()};
    }
    const auto offset = static_cast<float>(sum / static_cast<double>(absmax.size()));
    for (std::size_t first = 0; first < absmax.size(); first += kernels::nf4_group) {
        const std::size_t count = std::min(kernels::nf4_group, absmax.size() - first);
        std::vector<float> rest;
        for (std::size_t i = 0; i < count; ++i) rest.push_back(absmax[first + i] - offset);
        std::vector<std::uint8_t> bytes(count);
        const float group = kernels::quantise_dynamic(rest.data(), count, bytes.data());
        for (std::size_t i = 0; i < count; ++i)
            absmax[first + i] = kernels::dynamic_values()[bytes[i]] * group + offset;
    }
    for (std::size_t i = 0; i < x.size(); ++i)
        out[i] = kernels::nf4_values[codes[i]] * absmax[i / size];
    return out;
}

/// Writes a model whose linear layers hold the dequantised values of another.
inline void write_dequantised(random_model& model, quantisation kind, bool bfloat16) {
    for (auto& tensor : model.tensors) {
        if (tensor.name.find("proj") == std::string::npos || tensor.shape.size() != 2) continue;
        if (bfloat16)
            for (float& value : tensor.values) value = rounded(value);
        tensor.values = dequantised(kind, tensor.values, tensor.shape[1]);
    }
    model.write();
}

}  // namespace cuset
