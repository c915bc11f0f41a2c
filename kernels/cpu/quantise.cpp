// Quantising, and what reads codes one by one. This file is compiled for the baseline processor,
// without fused multiply-add: every machine makes the same codes.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "cuset/kernels/code_rows.h"
#include "cuset/kernels/quantised_panels.h"

namespace cuset::kernels {

const float nf4_values[nf4_codes] = {
    -1.0F,
    -0.6961928009986877F,
    -0.5250730514526367F,
    -0.39491748809814453F,
    -0.28444138169288635F,
    -0.18477343022823334F,
    -0.09105003625154495F,
    0.0F,
    0.07958029955625534F,
    0.16093020141124725F,
    0.24611230194568634F,
    0.33791524171829224F,
    0.44070982933044434F,
    0.5626170039176941F,
    0.7229568362236023F,
    1.0F,
};

namespace {

float absmax_of(const float* x, std::size_t count) {
    float largest = 0;
    for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, std::fabs(x[i]));
    return largest;
}

/// 2^i values for each power of ten from 10^-6 (i = 0) to 1 (i = 6), in the middles of equal parts
/// of [0.1, 1] times the power; their negatives; 0 and 1. All in float, in bitsandbytes' order of
/// operations.
std::array<float, dynamic_codes> make_dynamic_values() {
    std::array<float, dynamic_codes> values{};
    std::size_t made = 0;
    // The powers as Python has them, rounded once.
    constexpr float powers[] = {1e-6F, 1e-5F, 1e-4F, 1e-3F, 1e-2F, 1e-1F, 1.0F};
    for (std::size_t i = 0; i < std::size(powers); ++i) {
        const std::size_t parts = std::size_t{1} << i;
        const float step = (1.0F - 0.1F) / static_cast<float>(parts);
        const auto boundary = [&](std::size_t at) {
            return at < (parts + 1) / 2 ? 0.1F + step * static_cast<float>(at)
                                        : 1.0F - step * static_cast<float>(parts - at);
        };
        for (std::size_t part = 0; part < parts; ++part) {
            const float value = powers[i] * ((boundary(part) + boundary(part + 1)) / 2.0F);
            values[made++] = value;
            values[made++] = -value;
        }
    }
    values[made++] = 0.0F;
    values[made++] = 1.0F;
    std::sort(values.begin(), values.end());
    return values;
}

constexpr std::size_t table_places = 65536;

/// The code for each of equally many places in [-1, 1]: the value that is next to its middle.
const std::array<std::uint8_t, table_places>& dynamic_table() {
    static const auto table = [] {
        std::array<std::uint8_t, table_places> made{};
        const float* values = dynamic_values();
        std::size_t code = 0;
        for (std::size_t place = 0; place < table_places; ++place) {
            const double middle = static_cast<double>(place) / 32767.5 - 1.0;
            while (code + 1 < dynamic_codes && middle > (static_cast<double>(values[code]) +
                                                         static_cast<double>(values[code + 1])) /
                                                            2)
                ++code;
            made[place] = static_cast<std::uint8_t>(code);
        }
        return made;
    }();
    return table;
}

}  // namespace

const float* dynamic_values() {
    static const auto values = make_dynamic_values();
    return values.data();
}

float quantise_nf4(const float* x, std::size_t count, std::uint8_t* codes) {
    // bitsandbytes divides a tensor's last block, if it is short, and multiplies the others by the
    // reciprocal; and it takes an absmax of 0 for a tiny one, so that no element becomes NaN.
    constexpr float least = 1e-38F;
    float absmax = absmax_of(x, count);
    const bool is_short = count < nf4_block;
    if (is_short) absmax = std::max(absmax, least);
    float scaled[nf4_block]{};
    const float factor = 1.0F / std::max(absmax, least);
    for (std::size_t i = 0; i < count; ++i) scaled[i] = is_short ? x[i] / absmax : x[i] * factor;
    std::uint32_t numbers[nf4_block]{};
    for (std::size_t value = 0; value + 1 < nf4_codes; ++value) {
        const float middle = (nf4_values[value] + nf4_values[value + 1]) / 2.0F;
        for (std::size_t i = 0; i < nf4_block; ++i) numbers[i] += scaled[i] > middle ? 1 : 0;
    }
    for (std::size_t i = 0; i < count; ++i) codes[i] = static_cast<std::uint8_t>(numbers[i]);
    return absmax;
}

float quantise_dynamic(const float* x, std::size_t count, std::uint8_t* codes) {
    const float absmax = absmax_of(x, count);
    if (absmax < std::numeric_limits<float>::min()) {  // whose reciprocal is infinite
        std::fill_n(codes, count, std::uint8_t{0});
        return 0;
    }
    const auto& table = dynamic_table();
    const float factor = 1.0F / absmax;
    for (std::size_t i = 0; i < count; ++i) {
        const float place = (x[i] * factor + 1.0F) * 32767.5F + 0.5F;
        codes[i] = table[static_cast<std::size_t>(std::clamp(place, 0.0F, 65535.0F))];
    }
    return absmax;
}

float quantise_int8(const float* x, std::size_t count, std::int8_t* codes) {
    const float absmax = absmax_of(x, count);
    // In bitsandbytes' order of operations, on which halves depend.
    const float factor = absmax < std::numeric_limits<float>::min() ? 0 : 1.0F / absmax * 127.0F;
    // 1.5 · 2^23: adding it rounds to an integer in the low bits.
    constexpr float shifter = 12582912.0F;
    for (std::size_t i = 0; i < count; ++i) {
        const float rounded = std::clamp(x[i] * factor, -127.0F, 127.0F) + shifter;
        codes[i] = static_cast<std::int8_t>(std::bit_cast<std::int32_t>(rounded) -
                                            std::bit_cast<std::int32_t>(shifter));
    }
    return absmax;
}

void read_scales(const nested_scales& scales, std::size_t first, std::size_t count, float* to,
                 std::size_t stride) {
    for (std::size_t i = 0; i < count;) {
        const std::size_t group = (first + i) / nf4_group;
        const std::size_t end = std::min(count, (group + 1) * nf4_group - first);
        const float absmax = scales.groups[group];
        for (; i < end; ++i)
            to[i * stride] = scales.values[scales.codes[first + i]] * absmax + scales.offset;
    }
}

namespace {

/// Elements of one block from `first` on.
void dequantise_block(const code_rows& matrix, std::size_t first, std::size_t count, float* to) {
    const auto* const codes = static_cast<const std::uint8_t*>(matrix.codes);
    float scale = 0;
    if (matrix.scales != nullptr)
        scale = matrix.scales[first / nf4_block];
    else
        read_scales(matrix.nested, first / nf4_block, 1, &scale, 1);
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint8_t two = codes[(first + i) / 2];
        to[i] = nf4_values[(first + i) % 2 == 0 ? two >> 4 : two & 15] * scale;
    }
}

}  // namespace

void dequantise(const code_rows& matrix, std::size_t first, std::size_t count, float* to) {
    const bool nf4 = matrix.format == code_format::nf4;
    const std::size_t run = nf4 ? nf4_block : matrix.columns;  // elements that share a scale
    const auto* const bytes = static_cast<const std::int8_t*>(matrix.codes);
    for (const std::size_t end = first + count; first < end;) {
        const std::size_t part = std::min(end, (first / run + 1) * run) - first;
        if (nf4) {
            dequantise_block(matrix, first, part, to);
        } else {
            const float scale = matrix.scales[first / run];
            for (std::size_t i = 0; i < part; ++i)
                to[i] = static_cast<float>(bytes[first + i]) * scale;
        }
        first += part;
        to += part;
    }
}

}  // namespace cuset::kernels
