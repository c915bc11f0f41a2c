// How a quantised_matrix gets its codes: of elements, or of a file that has them.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "cuset/kernels/packed_products.h"
#include "quantised_matrix.h"
#include "stored_nf4.h"
#include "weights.h"

namespace cuset {

namespace {

using kernels::bfloat16_bits;
using kernels::nf4_block;
using kernels::nf4_group;

std::size_t unsign(std::int64_t value) { return static_cast<std::size_t>(value); }

constexpr std::int64_t block = nf4_block;
/// Fills up the last byte of an odd number of codes.
constexpr std::uint8_t code_of_zero = 7;

std::int64_t panel_outputs() { return static_cast<std::int64_t>(kernels::panel_columns()); }

/// Elements [first, first + count) of a matrix, row after row, in float. Returns whether all are
/// finite.
bool read_elements(const weight_matrix& matrix, std::int64_t first, std::int64_t count, float* to) {
    switch (matrix.type) {
        case element_type::bf16:
            kernels::widen(static_cast<const bfloat16_bits*>(matrix.data) + first, unsign(count),
                           to);
            break;
        case element_type::f16:
            kernels::widen(static_cast<const kernels::float16_bits*>(matrix.data) + first,
                           unsign(count), to);
            break;
        default: std::copy_n(static_cast<const float*>(matrix.data) + first, count, to);
    }
    std::int64_t others = 0;
    for (std::int64_t i = 0; i < count; ++i)
        others += std::fabs(to[i]) <= std::numeric_limits<float>::max() ? 0 : 1;
    return others == 0;
}

status not_finite() { return data_error("an element is not finite, so it cannot be quantised"); }

/// What a thread's memory is for: parts that are used at the same time are apart.
enum class use : unsigned char { elements, codes };

/// Uninitialised memory of this thread, kept from use to use.
template <use purpose, class T>
T* local(std::int64_t count) {
    thread_local scratch<T> memory;
    return memory.reserve(count);
}

}  // namespace

quantised_matrix::quantised_matrix(quantisation kind, std::int64_t rows, std::int64_t columns,
                                   bool bfloat16, code_order order)
    : kind_(kind),
      bfloat16_(bfloat16),
      rows_(rows),
      columns_(columns),
      in_panels_(order == code_order::panels &&
                 (kind == quantisation::int8 || columns % block == 0)) {}

result<quantised_matrix> quantised_matrix::make(quantisation kind, const weight_matrix& matrix,
                                                bool bfloat16, task_pool& pool, large_pages& memory,
                                                code_order order) {
    quantised_matrix made(kind, matrix.rows, matrix.columns, bfloat16, order);
    CUSET_TRY(kind == quantisation::nf4 ? made.make_nf4(matrix, pool, memory)
                                        : made.make_int8(matrix, pool, memory));
    return made;
}

std::size_t quantised_matrix::nf4_bytes() const {
    if (in_panels_)
        return unsign((rows_ + panel_outputs() - 1) / panel_outputs()) *
               kernels::nf4_panel_bytes(unsign(columns_));
    return unsign((rows_ * columns_ + block - 1) / block) * nf4_block / 2;
}

template <class CodesOf>
void quantised_matrix::make_panels(task_pool& pool, std::uint8_t* to,
                                   const CodesOf& codes_of) const {
    const std::int64_t outputs = panel_outputs(), panels = (rows_ + outputs - 1) / outputs;
    pool.run(panels, [&](std::int64_t panel) {
        const std::int64_t first = panel * outputs, count = std::min(outputs, rows_ - first);
        std::uint8_t* const bytes = local<use::codes, std::uint8_t>(count * columns_);
        for (std::int64_t row = 0; row < count; ++row)
            codes_of(first + row, bytes + row * columns_);
        kernels::pack_nf4(unsign(count), unsign(columns_), bytes, unsign(columns_),
                          to + unsign(panel) * kernels::nf4_panel_bytes(unsign(columns_)));
    });
}

status quantised_matrix::make_nf4(const weight_matrix& matrix, task_pool& pool,
                                  large_pages& memory) {
    const std::int64_t elements = rows_ * columns_, blocks = (elements + block - 1) / block;
    auto* const codes = static_cast<std::uint8_t*>(memory.take(nf4_bytes()));
    codes_ = codes;
    bytes_ = nf4_bytes() + unsign(blocks);
    std::vector<float> absmax(unsign(blocks));
    std::atomic<bool> finite = true;
    /// Codes of `count` elements from `first` on, one a byte.
    const auto quantise = [&](std::int64_t first, std::int64_t count, std::uint8_t* to) {
        float* const x = local<use::elements, float>(count);
        if (!read_elements(matrix, first, count, x)) finite = false;
        if (!finite) {
            std::fill_n(to, count, code_of_zero);
            return;
        }
        for (std::int64_t i = 0; i < count; i += block)
            absmax[unsign((first + i) / block)] =
                kernels::quantise_nf4(x + i, unsign(std::min(block, count - i)), to + i);
    };
    if (in_panels_) {
        make_panels(pool, codes, [&](std::int64_t row, std::uint8_t* to) {
            quantise(row * columns_, columns_, to);
        });
    } else {
        constexpr std::int64_t part = 64 * block;
        pool.run((elements + part - 1) / part, [&](std::int64_t task) {
            const std::int64_t first = task * part, count = std::min(part, elements - first);
            std::uint8_t bytes[part + 1]{};
            quantise(first, count, bytes);
            bytes[count] = code_of_zero;
            for (std::int64_t i = 0; i < count; i += 2)
                codes[(first + i) / 2] = static_cast<std::uint8_t>(bytes[i] << 4 | bytes[i + 1]);
        });
    }
    if (!finite) return not_finite();
    keep_scales(absmax.data(), unsign(blocks), memory);
    return {};
}

quantised_matrix quantised_matrix::keep(const stored_nf4& stored, bool bfloat16, task_pool& pool,
                                        large_pages& memory, code_order order) {
    quantised_matrix kept(quantisation::nf4, stored.rows, stored.columns, bfloat16, order);
    const auto copy = [&](const auto& values) {
        using Value = std::remove_cvref_t<decltype(values[0])>;
        kept.bytes_ += values.size() * sizeof(Value);
        auto* const to = static_cast<Value*>(memory.take(values.size() * sizeof(Value)));
        std::copy(values.begin(), values.end(), to);
        return to;
    };
    const auto* const codes = reinterpret_cast<const std::uint8_t*>(stored.codes.data());
    auto* const to = static_cast<std::uint8_t*>(memory.take(kept.nf4_bytes()));
    kept.codes_ = to;
    kept.bytes_ = kept.nf4_bytes();
    if (kept.in_panels_)
        kept.make_panels(pool, to, [&](std::int64_t row, std::uint8_t* bytes) {
            const std::uint8_t* const from = codes + row * kept.columns_ / 2;
            for (std::int64_t i = 0; i < kept.columns_; i += 2) {
                bytes[i] = from[i / 2] >> 4;
                bytes[i + 1] = from[i / 2] & 15;
            }
        });
    else
        std::copy_n(codes, stored.codes.size(), to);
    const float* const absmax = copy(stored.absmax);
    if (stored.absmax_codes.empty()) {
        kept.absmax_ = absmax;
    } else {
        const auto* const blocks = copy(stored.absmax_codes);
        kept.nested_ = {reinterpret_cast<const std::uint8_t*>(blocks), absmax, stored.offset,
                        copy(stored.absmax_values)};
    }
    return kept;
}

/// bitsandbytes takes the mean in float, in an order that depends on the processor and the number
/// of threads; a sum in double is the same everywhere.
void quantised_matrix::keep_scales(const float* absmax, std::size_t blocks, large_pages& memory) {
    const std::size_t groups = (blocks + nf4_group - 1) / nf4_group;
    auto* const codes = static_cast<std::uint8_t*>(memory.take(blocks));
    auto* const of_groups = static_cast<float*>(memory.take(groups * sizeof(float)));
    double sum = 0;
    for (std::size_t i = 0; i < blocks; ++i) sum += static_cast<double>(absmax[i]);
    const auto offset =
        static_cast<float>(sum / static_cast<double>(std::max<std::size_t>(1, blocks)));
    for (std::size_t group = 0; group < groups; ++group) {
        const std::size_t first = group * nf4_group, count = std::min(nf4_group, blocks - first);
        float rest[nf4_group];
        for (std::size_t i = 0; i < count; ++i) rest[i] = absmax[first + i] - offset;
        of_groups[group] = kernels::quantise_dynamic(rest, count, codes + first);
    }
    nested_ = {codes, of_groups, offset, kernels::dynamic_values()};
}

status quantised_matrix::make_int8(const weight_matrix& matrix, task_pool& pool,
                                   large_pages& memory) {
    const std::int64_t outputs = panel_outputs(), panels = (rows_ + outputs - 1) / outputs;
    const std::size_t panel_bytes = kernels::int8_panel_bytes(unsign(columns_));
    const std::size_t code_bytes =
        in_panels_ ? unsign(panels) * panel_bytes : unsign(rows_ * columns_);
    auto* const codes = static_cast<std::uint8_t*>(memory.take(code_bytes));
    auto* const scales = static_cast<float*>(memory.take(unsign(rows_) * sizeof(float)));
    codes_ = codes;
    row_scales_ = scales;
    bytes_ = code_bytes + unsign(rows_) * sizeof(float);
    std::atomic<bool> finite = true;
    pool.run(panels, [&](std::int64_t panel) {
        const std::int64_t first = panel * outputs, count = std::min(outputs, rows_ - first);
        auto* const bytes = in_panels_ ? local<use::codes, std::int8_t>(count * columns_)
                                       : reinterpret_cast<std::int8_t*>(codes) + first * columns_;
        float* const x = local<use::elements, float>(columns_);
        for (std::int64_t row = 0; row < count; ++row) {
            if (!read_elements(matrix, (first + row) * columns_, columns_, x)) finite = false;
            if (!finite) return;
            scales[first + row] =
                kernels::quantise_int8(x, unsign(columns_), bytes + row * columns_) / 127.0F;
        }
        if (in_panels_)
            kernels::pack_int8(unsign(count), unsign(columns_), bytes, unsign(columns_),
                               reinterpret_cast<std::int8_t*>(codes + unsign(panel) * panel_bytes));
    });
    return finite ? status::ok() : not_finite();
}

}  // namespace cuset
