// The formats of matrices of 4 and 8 bits an element; and such matrices row after row, which is
// what a GPU keeps of a quantised base, and the elements made of them again.
//
// NF4 (QLoRA, arXiv 2305.14314, appendix E) stores the matrix, row after row, in blocks of 64
// elements: x ≈ nf4_values[code] · absmax, with absmax = max |x| of the block. Double quantisation
// stores absmax in 8 bits, in groups of 256 blocks: absmax ≈ dynamic_values()[code] · group's
// absmax + offset. INT8 has one absmax a row: x ≈ code · absmax / 127.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuset/kernels/device.h"

namespace cuset::kernels {

inline constexpr std::size_t nf4_block = 64;   ///< elements that share an absmax
inline constexpr std::size_t nf4_group = 256;  ///< blocks whose absmax share another one
inline constexpr std::size_t nf4_codes = 16;
inline constexpr std::size_t dynamic_codes = 256;

/// The values of NF4's codes, ascending: quantiles of the normal distribution, with an exact 0.
extern const float nf4_values[nf4_codes];

/// What double quantisation keeps of a tensor's absmax: the codes of its blocks, row after row, the
/// absmax of their groups, and the values of the codes (dynamic_values(), or those of a file).
struct nested_scales {
    const std::uint8_t* codes;
    const float* groups;
    float offset;
    const float* values;
};

enum class code_format : unsigned char { nf4, int8 };

/// Elements are numbered row after row, without gaps. NF4 has two codes a byte, the first in the
/// high half, as bitsandbytes stores them, and an absmax for each nf4_block elements; INT8 has a
/// signed byte an element and an absmax / 127 for each row.
struct code_rows {
    code_format format = code_format::nf4;
    std::size_t elements = 0;
    std::size_t columns = 0;      ///< of INT8
    const void* codes = nullptr;  ///< (elements + 1) / 2 or `elements` bytes; of device memory, at
                                  ///< an address that is a multiple of 8
    nested_scales nested{};       ///< of NF4, unless `scales` is given
    const float* scales = nullptr;  ///< absmax of NF4's blocks, or absmax / 127 of INT8's rows
};

enum class value_type : unsigned char { float32, bfloat16 };

/// to[i] = element first + i, for i < count, on the CPU: the code's value times its scale, in
/// float. The scale of a nested block is value · group's absmax + offset, each rounded separately.
void dequantise(const code_rows& matrix, std::size_t first, std::size_t count, float* to);

/// All elements, in one launch, with the bits of the CPU version; bfloat16 is then rounded to
/// nearest even. Every pointer is device memory; `to` is at a multiple of 16.
device_error dequantise(const code_rows& matrix, void* to, value_type type, device_stream stream);

}  // namespace cuset::kernels
