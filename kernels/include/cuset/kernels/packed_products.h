// Products of many rows of activations with a matrix that was packed for them, on the CPU.
// Single-threaded: the caller gives every thread its own rows, or its own panels of the matrix.
//
// Each result is a function of its own row of A and its own column of B alone, bit for bit: the
// order of its sum depends on k only. So a caller may cut m and n as it likes. (Instruction sets
// differ among themselves.)
#pragma once

#include <cstddef>

#include "cuset/kernels/decoder_rows.h"
#include "cuset/kernels/instruction_set.h"
#include "cuset/kernels/row_products.h"

namespace cuset::kernels {

/// What a row of a stored matrix is: all that one output needs (B [n × k], used transposed), or all
/// that one input contributes (B [k × n]).
enum class matrix_rows : unsigned char { outputs, inputs };

/// A packed matrix is a sequence of panels of panel_columns() outputs each, all k inputs of a panel
/// one after another; the last panel is filled up with zeros.
std::size_t panel_columns();

/// Elements from one panel of k inputs to the next, for every type.
std::size_t panel_stride(std::size_t k);

/// Elements of the packed form of n outputs from k inputs; the same for every type.
std::size_t packed_elements(std::size_t n, std::size_t k);

/// Packs n outputs of k inputs. `b` is the first of them, `stride` the elements from one row to the
/// next. bfloat16 from float rounds to nearest even; every other conversion is exact.
void pack(matrix_rows rows, std::size_t n, std::size_t k, const float* b, std::size_t stride,
          float* to);
void pack(matrix_rows rows, std::size_t n, std::size_t k, const bfloat16_bits* b,
          std::size_t stride, float* to);
void pack(matrix_rows rows, std::size_t n, std::size_t k, const float16_bits* b, std::size_t stride,
          float* to);
void pack(matrix_rows rows, std::size_t n, std::size_t k, const bfloat16_bits* b,
          std::size_t stride, bfloat16_bits* to);
void pack(matrix_rows rows, std::size_t n, std::size_t k, const float* b, std::size_t stride,
          bfloat16_bits* to);
void pack(matrix_rows rows, std::size_t n, std::size_t k, const float16_bits* b, std::size_t stride,
          float16_bits* to);

/// to[0 … k - 1] = the inputs of output `n` of a packed matrix, in float.
void unpack_output(std::size_t n, std::size_t k, const float* packed, float* to);
void unpack_output(std::size_t n, std::size_t k, const bfloat16_bits* packed, float* to);
void unpack_output(std::size_t n, std::size_t k, const float16_bits* packed, float* to);

/// C [m × n] (+)= A [m × k] · B, accumulated in float. B is in `packed`, whose panels are
/// stride_packed apart: panel_stride() of the k that it was packed for, of which this k may be the
/// first part. The bfloat16 form needs has_bfloat16_products(); it takes subnormal inputs and sums
/// as zero, as the instruction does.
void packed_product(row_product_size size, const float* a, std::size_t stride_a,
                    const float* packed, std::size_t stride_packed, product_mode mode, float* c,
                    std::size_t stride_c);
void packed_product(row_product_size size, const bfloat16_bits* a, std::size_t stride_a,
                    const bfloat16_bits* packed, std::size_t stride_packed, product_mode mode,
                    float* c, std::size_t stride_c);

/// The same for float A and a matrix packed in 16 bits, which is widened in registers: bit for bit
/// what the float form gives for the widened matrix, from half the memory. A product of few rows
/// takes as long as the matrix takes to be read. Every instruction set has it.
void packed_product(row_product_size size, const float* a, std::size_t stride_a,
                    const bfloat16_bits* packed, std::size_t stride_packed, product_mode mode,
                    float* c, std::size_t stride_c);
void packed_product(row_product_size size, const float* a, std::size_t stride_a,
                    const float16_bits* packed, std::size_t stride_packed, product_mode mode,
                    float* c, std::size_t stride_c);

/// Whether the active instruction set has the form of two bfloat16 matrices, as avx512_bf16 and amx
/// do.
bool has_bfloat16_products();

/// Every function above, for one instruction set. Tests call each available table; the functions
/// above are those of the active one.
struct packed_product_table {
    std::size_t panel_columns;
    std::size_t rows, rows_bfloat16;  ///< of A that a product takes at a time; they divide 96
    void (*pack_float)(matrix_rows, std::size_t, std::size_t, const float*, std::size_t, float*);
    void (*pack_widened)(matrix_rows, std::size_t, std::size_t, const bfloat16_bits*, std::size_t,
                         float*);
    void (*pack_float16)(matrix_rows, std::size_t, std::size_t, const float16_bits*, std::size_t,
                         float*);
    void (*pack_bfloat16)(matrix_rows, std::size_t, std::size_t, const bfloat16_bits*, std::size_t,
                          bfloat16_bits*);
    void (*pack_narrowed)(matrix_rows, std::size_t, std::size_t, const float*, std::size_t,
                          bfloat16_bits*);
    void (*pack_halves)(matrix_rows, std::size_t, std::size_t, const float16_bits*, std::size_t,
                        float16_bits*);
    void (*product)(row_product_size, const float*, std::size_t, const float*, std::size_t,
                    product_mode, float*, std::size_t);
    void (*product_widened)(row_product_size, const float*, std::size_t, const bfloat16_bits*,
                            std::size_t, product_mode, float*, std::size_t);
    void (*product_halves)(row_product_size, const float*, std::size_t, const float16_bits*,
                           std::size_t, product_mode, float*, std::size_t);
    /// Null if the set has no bfloat16 instructions.
    void (*product_bfloat16)(row_product_size, const bfloat16_bits*, std::size_t,
                             const bfloat16_bits*, std::size_t, product_mode, float*, std::size_t);
};

/// `set` must be available.
const packed_product_table& packed_product_kernels(instruction_set set);

}  // namespace cuset::kernels
