// The provider of frozen weights that are kept in 4 or 8 bits. Whoever multiplies asks for the part
// that it needs, when it needs it, in the form that its product takes, and gives it up after the
// product: a group of panels of the many rows of a score (weight_panels.h), a panel of the few rows
// of decoding (decoding_matrix.h), or a whole matrix where a gradient goes through it. A result is
// what a product gives for the dequantised weights, up to the order of its sums; it does not depend
// on how many rows are computed at a time. Private to lib/model.
#pragma once

#include <cstdint>

#include "cuset/base/status.h"
#include "cuset/kernels/quantised_panels.h"
#include "cuset/model/causal_lm.h"
#include "large_pages.h"
#include "row_tasks.h"

namespace cuset {

struct stored_nf4;
struct weight_matrix;

/// How the codes of a matrix stand: as the CPU's products read them, or one row after another, as
/// a GPU gets them.
enum class code_order : unsigned char { panels, rows };

/// A matrix [rows × columns] in the formats of code_rows.h. An element is the value of its
/// code times its scale in float, rounded to bfloat16 if the model is computed in bfloat16.
class quantised_matrix {
public:
    /// Quantises the elements of `matrix` on the pool's threads, into `memory`, which has to
    /// outlive this. `matrix` is no longer needed then. error_kind::data if an element is not
    /// finite, since one of them would spoil all that share its scale. The same bits at any number
    /// of threads.
    static result<quantised_matrix> make(quantisation kind, const weight_matrix& matrix,
                                         bool bfloat16, task_pool& pool, large_pages& memory,
                                         code_order order = code_order::panels);

    /// The codes and scales of a file as they are, copied into `memory`.
    static quantised_matrix keep(const stored_nf4& stored, bool bfloat16, task_pool& pool,
                                 large_pages& memory, code_order order = code_order::panels);

    std::int64_t rows() const { return rows_; }
    std::int64_t columns() const { return columns_; }
    /// Of codes and scales.
    std::size_t bytes() const { return bytes_; }
    /// Whether elements are rounded to bfloat16.
    bool is_bfloat16() const { return bfloat16_; }

    /// NF4's codes never stand in panels if a block belongs to two rows.
    bool is_in_panels() const { return in_panels_; }
    /// Codes and scales, in the memory that they were put into. The matrix must not be in panels.
    kernels::code_rows in_rows() const;

    /// Makes the packed form of outputs [first, first + count) and inputs [column, column +
    /// columns), panel after panel. `first` must be a multiple of kernels::panel_columns(), and
    /// `column` of nf4_block. Element is float or, of a matrix of bfloat16, bfloat16_bits.
    template <class Element>
    void pack(std::int64_t first, std::int64_t count, std::int64_t column, std::int64_t columns,
              Element* to) const;

    /// The same row by row, `stride` elements from one to the next.
    template <class Element>
    void read(std::int64_t first, std::int64_t count, std::int64_t column, std::int64_t columns,
              Element* to, std::int64_t stride) const;

    /// y [rows × outputs] (+)= x · Wᵀ for outputs [first, first + outputs), at most a panel, over
    /// all inputs; y's rows are `stride` apart. Each result depends on its own row of x alone, bit
    /// for bit. Input is float or, of a matrix of bfloat16 where there are products of it,
    /// bfloat16_bits.
    template <class Input>
    void multiply(std::int64_t rows, const Input* x, std::int64_t first, std::int64_t outputs,
                  kernels::product_mode mode, float* y, std::int64_t stride) const;

private:
    quantised_matrix(quantisation kind, std::int64_t rows, std::int64_t columns, bool bfloat16,
                     code_order order);
    status make_nf4(const weight_matrix& matrix, task_pool& pool, large_pages& memory);
    status make_int8(const weight_matrix& matrix, task_pool& pool, large_pages& memory);
    void keep_scales(const float* absmax, std::size_t blocks, large_pages& memory);
    /// Makes the panels of NF4: codes_of(row, to) gives the codes of a row, one a byte.
    template <class CodesOf>
    void make_panels(task_pool& pool, std::uint8_t* to, const CodesOf& codes_of) const;
    /// to[i · stride] = the absmax of block first + i, for i < count.
    void read_absmax(std::size_t first, std::size_t count, float* to, std::size_t stride) const;
    std::size_t nf4_bytes() const;  ///< of codes
    /// Scales of a panel's outputs as unpack_nf4 and unpack_int8 take them.
    const float* scales_of(std::int64_t first, std::int64_t outputs, std::int64_t column,
                           std::int64_t columns) const;
    template <class Element, class Input>
    void multiply_as(std::int64_t rows, const Input* x, std::int64_t first, std::int64_t outputs,
                     kernels::product_mode mode, float* y, std::int64_t stride) const;
    bool multiply_fused(std::int64_t rows, const kernels::bfloat16_bits* x, std::int64_t first,
                        std::int64_t outputs, std::int64_t column, std::int64_t columns,
                        kernels::product_mode mode, float* y, std::int64_t stride) const;
    template <class Element>
    void unpack(std::int64_t first, std::int64_t outputs, std::int64_t column, std::int64_t columns,
                Element* to) const;
    /// A row of a matrix that is not in panels, in float.
    void read_flat(std::int64_t row, std::int64_t column, std::int64_t columns, float* to) const;

    quantisation kind_ = quantisation::none;
    bool bfloat16_ = false;
    std::int64_t rows_ = 0, columns_ = 0;
    std::size_t bytes_ = 0;
    bool in_panels_ = true;
    const std::uint8_t* codes_ = nullptr;
    kernels::nested_scales nested_{};    ///< of NF4
    const float* absmax_ = nullptr;      ///< of NF4's blocks, if a file has it without nested_
    const float* row_scales_ = nullptr;  ///< of INT8: absmax / 127
};

}  // namespace cuset
