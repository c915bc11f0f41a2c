// Rectangles of weight matrices in the type that products take. A matrix stored in that type is
// used in place. A matrix stored in 16 bits whose products are float is widened one panel at a
// time, for all rows of the batch at once: the float copy of a model never exists, and with a
// thousand rows the widening costs about 2 % of the products. Private to lib/model.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "cuset/kernels/decoder_rows.h"
#include "row_tasks.h"
#include "weights.h"

namespace cuset {

/// The number of widened floats that are held at a time: 16 MB, about a processor's last cache.
inline constexpr std::int64_t panel_floats = std::int64_t{1} << 22;

template <class Input>
class weight_panels {
public:
    struct panel {
        const weight_matrix* matrix;
        std::int64_t row, rows, column, columns;
        const Input* data;    ///< set by load()
        std::int64_t stride;  ///< elements from one row to the next
    };

    void clear() { panels_.clear(); }

    void add(const weight_matrix& matrix, std::int64_t row, std::int64_t rows, std::int64_t column,
             std::int64_t columns) {
        panels_.push_back({&matrix, row, rows, column, columns, nullptr, 0});
    }

    const std::vector<panel>& panels() const { return panels_; }

    /// Makes every panel's data valid until the next load().
    void load(task_pool& pool) {
        std::int64_t floats = 0;
        for (const auto& p : panels_) {
            if (!in_place(p)) floats += p.rows * p.columns;
        }
        float* to = floats == 0 ? nullptr : memory_.reserve(floats);
        for (auto& p : panels_) {
            if (in_place(p)) {
                p.stride = p.matrix->columns;
                p.data = static_cast<const Input*>(p.matrix->data) + p.row * p.stride + p.column;
            } else if constexpr (std::is_same_v<Input, float>) {
                p.stride = p.columns;
                p.data = to;
                widen(pool, p, to);
                to += p.rows * p.columns;
            }
        }
    }

private:
    static bool in_place(const panel& p) {
        if constexpr (std::is_same_v<Input, float>) {
            return p.matrix->type == element_type::f32;
        } else {
            return true;  // make_fused_forward's contract: every matrix is bf16
        }
    }

    static void widen(task_pool& pool, const panel& p, float* to) {
        const row_strips strips(pool, p.rows, 64);
        pool.run(strips.count(), [&](std::int64_t strip) {
            const std::int64_t begin = strips.begin(strip), end = begin + strips.size(strip);
            for (std::int64_t row = begin; row < end; ++row) {
                const std::int64_t from = (p.row + row) * p.matrix->columns + p.column;
                const auto count = static_cast<std::size_t>(p.columns);
                float* out = to + row * p.columns;
                if (p.matrix->type == element_type::bf16) {
                    kernels::widen(
                        static_cast<const kernels::bfloat16_bits*>(p.matrix->data) + from, count,
                        out);
                } else {
                    kernels::widen(static_cast<const kernels::float16_bits*>(p.matrix->data) + from,
                                   count, out);
                }
            }
        });
    }

    std::vector<panel> panels_;
    scratch<float> memory_;
};

}  // namespace cuset
