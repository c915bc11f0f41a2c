// Matrices of 4 and 8 bits an element, on the CPU: how codes are made, in the formats of
// code_rows.h, and the panels of packed_products.h made of them again. Single-threaded: the caller
// gives every thread its own. Codes and absmax of blocks are those of bitsandbytes 0.50 on a CPU,
// bit for bit; the offset is a mean, whose sum is in double here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuset/kernels/code_rows.h"
#include "cuset/kernels/decoder_rows.h"
#include "cuset/kernels/instruction_set.h"
#include "cuset/kernels/row_products.h"

namespace cuset::kernels {

/// The values of the 8-bit codes, ascending: bitsandbytes' dynamic map (arXiv 2110.02861, section
/// 2.1), from -0.993 to 1.
const float* dynamic_values();

/// Quantises one block of `count` ≤ nf4_block finite elements: codes[i] is the number of midpoints
/// between neighbouring values that lie below x[i] / absmax. Returns absmax.
float quantise_nf4(const float* x, std::size_t count, std::uint8_t* codes);

/// Quantises a group of `count` ≤ nf4_group finite values, from which the offset has been taken.
/// Returns the group's absmax. As bitsandbytes does it on a CPU, a value is looked up in a table of
/// 65,536 places in [-1, 1], each with the code that is next to its middle.
float quantise_dynamic(const float* x, std::size_t count, std::uint8_t* codes);

/// Quantises a row of finite elements to codes in [-127, 127], rounded to nearest even. Returns its
/// absmax.
float quantise_int8(const float* x, std::size_t count, std::int8_t* codes);

/// to[i · stride] = the absmax of block first + i, for i < count.
void read_scales(const nested_scales& scales, std::size_t first, std::size_t count, float* to,
                 std::size_t stride);

/// A panel's codes: panel_columns() outputs, all k inputs of each. They stand in the order in which
/// a vector of elements takes them, which differs among instruction sets. k is filled up with
/// zeros.
std::size_t nf4_panel_bytes(std::size_t k);
std::size_t int8_panel_bytes(std::size_t k);

/// Makes one panel of `outputs` ≤ panel_columns() rows of codes, one a byte, `stride` apart.
void pack_nf4(std::size_t outputs, std::size_t k, const std::uint8_t* codes, std::size_t stride,
              std::uint8_t* to);
void pack_int8(std::size_t outputs, std::size_t k, const std::int8_t* codes, std::size_t stride,
               std::int8_t* to);

/// Writes inputs [first, first + count) of a panel in the form of packed_products.h; `first` is a
/// multiple of nf4_block. scales[b · panel_columns() + c] is the absmax of output c's b-th block
/// from `first` on, or with int8 scales[c] = absmax / 127 of output c; 0 for outputs that do not
/// exist. Each element is the value times its scale in float, then rounded to the nearest even
/// bfloat16 (subnormals may become 0), or in float if `round`. An odd count is filled up with
/// something finite.
void unpack_nf4(const std::uint8_t* panel, std::size_t first, std::size_t count,
                const float* scales, bfloat16_bits* to);
void unpack_nf4(const std::uint8_t* panel, std::size_t first, std::size_t count,
                const float* scales, bool round, float* to);
void unpack_int8(const std::int8_t* panel, std::size_t first, std::size_t count,
                 const float* scales, bfloat16_bits* to);
void unpack_int8(const std::int8_t* panel, std::size_t first, std::size_t count,
                 const float* scales, bool round, float* to);

/// C [m × n] (+)= A [m × k] · B for few rows of A and one whole panel, n = panel_columns(): inputs
/// [first, first + k) of the panel, with `scales` as unpack_nf4 and unpack_int8 take them. k is a
/// multiple of nf4_block, or with int8 of 2. Each element is unpacked in registers. Bit for bit
/// what packed_product() of bfloat16 gives for the panel that they make, if k ≤ fused_inputs.
template <class Code>
using fused_product = void (*)(row_product_size size, const bfloat16_bits* a, std::size_t stride_a,
                               const Code* panel, std::size_t first, const float* scales,
                               product_mode mode, float* c, std::size_t stride_c);

inline constexpr std::size_t fused_rows = 8;      ///< the most rows of A
inline constexpr std::size_t fused_inputs = 512;  ///< the most inputs of the same bits

/// Null where the active instruction set has no such product.
fused_product<std::uint8_t> nf4_product();
fused_product<std::int8_t> int8_product();

/// The functions of panels for one instruction set. Tests call each available table; the functions
/// above are those of the active one.
struct quantised_panel_table {
    std::size_t panel_columns;
    void (*pack_nf4)(std::size_t, std::size_t, const std::uint8_t*, std::size_t, std::uint8_t*);
    void (*pack_int8)(std::size_t, std::size_t, const std::int8_t*, std::size_t, std::int8_t*);
    void (*nf4_to_bfloat16)(const std::uint8_t*, std::size_t, std::size_t, const float*,
                            bfloat16_bits*);
    void (*nf4_to_float)(const std::uint8_t*, std::size_t, std::size_t, const float*, bool, float*);
    void (*int8_to_bfloat16)(const std::int8_t*, std::size_t, std::size_t, const float*,
                             bfloat16_bits*);
    void (*int8_to_float)(const std::int8_t*, std::size_t, std::size_t, const float*, bool, float*);
    /// Null if the set has no bfloat16 instructions, or makes products of them in tiles.
    fused_product<std::uint8_t> nf4_product;
    fused_product<std::int8_t> int8_product;
};

/// `set` must be available.
const quantised_panel_table& quantised_panel_kernels(instruction_set set);

}  // namespace cuset::kernels
