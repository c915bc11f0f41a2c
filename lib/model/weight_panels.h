// Rectangles of weight matrices in the form that products take, made one group of panels at a time
// for all rows of the batch at once: a second copy of a model never exists, and with a thousand
// rows the making costs about 2 % of the products. MKL takes a matrix in place if it is stored in
// the products' type. Private to lib/model.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "cuset/kernels/decoder_rows.h"
#include "products.h"
#include "row_tasks.h"
#include "weights.h"

namespace cuset {

/// The number of elements that are held at a time: 16 MB of floats, about a
/// processor's last cache.
inline constexpr std::int64_t panel_elements = std::int64_t{1} << 22;

template <class Input>
class weight_panels {
public:
    struct panel {
        const weight_matrix* matrix;
        std::int64_t row, rows, column, columns;
        product_operand<Input> operand;  ///< set by load()
    };

    void clear() { panels_.clear(); }

    /// Of a quantised matrix, `row` must be a multiple of operand_outputs, and `column` of
    /// nf4_block.
    void add(const weight_matrix& matrix, std::int64_t row, std::int64_t rows, std::int64_t column,
             std::int64_t columns) {
        panels_.push_back({&matrix, row, rows, column, columns, {}});
    }

    const std::vector<panel>& panels() const { return panels_; }

    /// Makes every panel's operand valid until the next load().
    void load(task_pool& pool) {
        std::int64_t elements = 0;
        for (const auto& p : panels_) elements += elements_of(p);
        Input* to = elements == 0 ? nullptr : memory_.reserve(elements);
        for (auto& p : panels_) {
            if (takes_packed_matrices<Input>()) {
                p.operand = packed_operand<Input>(to, p.columns);
                if (p.matrix->quantised != nullptr)
                    dequantise(pool, p, [&](std::int64_t first, std::int64_t count) {
                        p.matrix->quantised->pack(p.row + first, count, p.column, p.columns,
                                                  to + packed_elements(first, p.columns));
                    });
                else
                    make(pool, p, [&](std::int64_t first, std::int64_t count, const auto* stored) {
                        pack_outputs(matrix_rows::outputs, first, count, p.columns, stored,
                                     p.matrix->columns, to);
                    });
            } else if (p.matrix->quantised != nullptr) {
                p.operand.stride = p.columns;
                p.operand.data = to;
                dequantise(pool, p, [&](std::int64_t first, std::int64_t count) {
                    p.matrix->quantised->read(p.row + first, count, p.column, p.columns,
                                              to + first * p.columns, p.columns);
                });
            } else if (in_place(p)) {
                p.operand.stride = p.matrix->columns;
                p.operand.data = static_cast<const Input*>(p.matrix->data) +
                                 p.row * p.matrix->columns + p.column;
            } else if constexpr (std::is_same_v<Input, float>) {
                p.operand.stride = p.columns;
                p.operand.data = to;
                make(pool, p, [&](std::int64_t first, std::int64_t count, const auto* stored) {
                    if constexpr (std::is_same_v<decltype(stored), const float*>)
                        return;
                    else
                        for (std::int64_t row = first; row < first + count; ++row)
                            kernels::widen(stored + row * p.matrix->columns,
                                           static_cast<std::size_t>(p.columns),
                                           to + row * p.columns);
                });
            }
            to += elements_of(p);
        }
    }

private:
    static bool in_place(const panel& p) {
        if (p.matrix->quantised != nullptr) return false;
        if constexpr (std::is_same_v<Input, float>) {
            return p.matrix->type == element_type::f32;
        } else {
            return true;  // make_fused_forward's contract: every matrix is bf16
        }
    }

    static std::int64_t elements_of(const panel& p) {
        if (takes_packed_matrices<Input>()) return packed_elements(p.rows, p.columns);
        return in_place(p) ? 0 : p.rows * p.columns;
    }

    /// Calls some(first row of the panel, rows) for all rows, on all threads.
    template <class Some>
    static void dequantise(task_pool& pool, const panel& p, const Some& some) {
        pool.run((p.rows + operand_outputs - 1) / operand_outputs, [&](std::int64_t block) {
            const std::int64_t first = block * operand_outputs;
            some(first, std::min(operand_outputs, p.rows - first));
        });
    }

    /// Calls some(first row of the panel, rows, the panel as stored) for all rows, on all threads.
    template <class Some>
    static void make(task_pool& pool, const panel& p, const Some& some) {
        const std::int64_t blocks = (p.rows + operand_outputs - 1) / operand_outputs;
        const auto run = [&](const auto* stored) {
            pool.run(blocks, [&, stored = stored + p.row * p.matrix->columns +
                                          p.column](std::int64_t block) {
                const std::int64_t first = block * operand_outputs;
                some(first, std::min(operand_outputs, p.rows - first), stored);
            });
        };
        if constexpr (std::is_same_v<Input, float>) {
            switch (p.matrix->type) {
                case element_type::bf16:
                    run(static_cast<const kernels::bfloat16_bits*>(p.matrix->data));
                    return;
                case element_type::f16:
                    run(static_cast<const kernels::float16_bits*>(p.matrix->data));
                    return;
                default: break;
            }
        }
        run(static_cast<const Input*>(p.matrix->data));
    }

    std::vector<panel> panels_;
    scratch<Input> memory_;
};

}  // namespace cuset
