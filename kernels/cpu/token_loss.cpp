#include "cuset/kernels/token_loss.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "cuset/kernels/decoder_rows.h"

namespace cuset::kernels {

namespace {

constexpr std::size_t most = 0x7fffffff;

template <class T>
const T* row_of(const void* base, std::size_t row, std::size_t stride) {
    return static_cast<const T*>(base) + row * stride;
}
template <class T>
T* row_of(void* base, std::size_t row, std::size_t stride) {
    return static_cast<T*>(base) + row * stride;
}

/// Row r as floats that may be overwritten: the row of the gradient itself, if that is float.
float* as_floats(const token_loss_rows& rows, std::size_t r, std::vector<float>& memory) {
    const std::size_t width = rows.vocabulary;
    if (rows.type == logit_type::bfloat16) {
        memory.resize(width);
        widen(row_of<bfloat16_bits>(rows.logits, r, rows.stride), width, memory.data());
        return memory.data();
    }
    const float* const from = row_of<float>(rows.logits, r, rows.stride);
    if (rows.gradient != nullptr && rows.gradient_type == logit_type::float32) {
        float* const to = row_of<float>(rows.gradient, r, rows.gradient_stride);
        if (to != from) std::copy_n(from, width, to);
        return to;
    }
    memory.assign(from, from + width);
    return memory.data();
}

}  // namespace

bool is_valid(const token_loss_rows& rows) {
    if (rows.rows > most || rows.vocabulary == 0 || rows.vocabulary > most ||
        rows.stride < rows.vocabulary || rows.log_probability == nullptr ||
        rows.targets == nullptr || rows.logits == nullptr)
        return false;
    if (rows.gradient == nullptr) return true;
    if (rows.gradient_stride < rows.vocabulary) return false;
    if (rows.type == logit_type::bfloat16 && rows.gradient_type != logit_type::bfloat16)
        return false;
    return rows.gradient != rows.logits ||
           (rows.gradient_type == rows.type && rows.gradient_stride == rows.stride);
}

void token_loss(const token_loss_rows& rows) {
    const std::size_t width = rows.vocabulary;
    std::vector<float> memory;
    for (std::size_t r = 0; r < rows.rows; ++r) {
        const std::int32_t* const target = rows.targets + r;
        token_loss_state state = empty_token_loss;
        const bool reads_only = rows.gradient == nullptr && rows.type == logit_type::float32;
        const float* const logits =
            reads_only ? row_of<float>(rows.logits, r, rows.stride) : as_floats(rows, r, memory);
        if (rows.entropy != nullptr) top_entropy(logits, 1, width, width, rows.entropy + r);
        if (rows.gradient == nullptr) {
            token_loss_strip(logits, 1, width, width, 0, target, &state);
        } else {
            auto* const row = const_cast<float*>(logits);  // as_floats() made it
            token_loss_gradient(row, 1, width, width, target, &state);
            if (rows.scale != nullptr)
                for (std::size_t i = 0; i < width; ++i) row[i] *= rows.scale[r];
            if (rows.gradient_type == logit_type::bfloat16)
                narrow(row, width, row_of<bfloat16_bits>(rows.gradient, r, rows.gradient_stride));
        }
        token_loss_finish(&state, 1, rows.log_probability + r);
        if (rows.entropy != nullptr && std::isnan(rows.log_probability[r])) rows.entropy[r] = NAN;
    }
}

}  // namespace cuset::kernels
