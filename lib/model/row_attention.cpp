#include "row_attention.h"

#include <cmath>
#include <cstring>

namespace cuset {

namespace {

using kernels::bfloat16_bits;

constexpr std::int64_t longest_block = 96;
constexpr std::int64_t mkl_block = 128;
/// Scores of a block: half of a core's own cache.
constexpr std::int64_t block_scores = std::int64_t{1} << 17;
/// Keys of a block in the backward pass, where several matrices of queries × keys exist.
constexpr std::int64_t key_block = 256;
constexpr std::int64_t turned_gap = 32;
/// Rows of bfloat16 that begin on cache lines have a multiple of this many elements. Products by
/// AMX read rows that do not at half the speed.
constexpr std::int64_t line = 32;

std::size_t unsign(std::int64_t value) { return static_cast<std::size_t>(value); }

/// A matrix as products take it: packed in `memory`, or as it is.
template <class Input>
product_operand<Input> operand_of(matrix_rows rows, std::int64_t n, std::int64_t k,
                                  const Input* stored, std::int64_t stride,
                                  scratch<Input>& memory) {
    if (!takes_packed_matrices<Input>()) return {stored, stride, rows};
    Input* to = memory.reserve(packed_elements(n, k));
    pack_outputs(rows, 0, n, k, stored, stride, to);
    return packed_operand<Input>(to, k);
}

std::int64_t in_lines(std::int64_t count) { return (count + line - 1) / line * line; }

float score_scale(std::int64_t width) { return 1.0F / std::sqrt(static_cast<float>(width)); }

}  // namespace

template <class Input>
std::int64_t packed_keys_elements(std::int64_t keys, std::int64_t width) {
    if (!takes_packed_matrices<Input>()) return 0;
    return packed_elements(keys, width) + packed_elements(width, keys);
}

template <class Input>
key_operands<Input> packed_keys(std::int64_t keys, std::int64_t width, const Input* key,
                                const Input* value, std::int64_t stride, Input* memory) {
    if (!takes_packed_matrices<Input>())
        return {{key, stride, matrix_rows::outputs}, {value, stride, matrix_rows::inputs}};
    Input* values = memory + packed_elements(keys, width);
    pack_outputs(matrix_rows::outputs, 0, keys, width, key, stride, memory);
    pack_outputs(matrix_rows::inputs, 0, width, keys, value, stride, values);
    return {packed_operand<Input>(memory, width), packed_operand<Input>(values, keys)};
}

template <class Input>
std::int64_t query_block(std::int64_t keys) {
    if (!takes_packed_matrices<Input>()) return mkl_block;
    const std::int64_t step = product_rows<Input>();
    return std::clamp(block_scores / keys / step * step, step, longest_block);
}

template <class Input>
void attend(const query_rows& rows, const Input* query, std::int64_t stride,
            const key_operands<Input>& keys, attention_workspace<Input>& workspace, float* out,
            std::int64_t stride_out, float* log_sum) {
    const std::int64_t count = rows.first + rows.count, width = rows.width;
    const std::int64_t between = in_lines(count);
    float* scores = workspace.scores.reserve(rows.count * between);
    product({rows.count, count, width}, query, stride, keys.key, product_mode::set, scores,
            between);
    Input* weights = nullptr;
    if constexpr (std::is_same_v<Input, float>) {
        weights = scores;
    } else {
        weights = workspace.weights.reserve(rows.count * between);
    }
    for (std::int64_t row = 0; row < rows.count; ++row) {
        const float sum =
            kernels::softmax(scores + row * between, score_scale(width),
                             unsign(rows.first + row + 1), unsign(count), weights + row * between);
        if (log_sum != nullptr) log_sum[row] = sum;
    }
    product({rows.count, width, count}, weights, between, keys.value, product_mode::set, out,
            stride_out);
}

/// Scores, weights and their gradients are made transposed, [keys × queries], so that they are the
/// left sides of the products for keys and values as they are. With S = q·kᵀ / √width, P =
/// softmax(S) and O = P·v: dv = Pᵀ·dO, dP = dO·vᵀ, dS = P ∘ (dP − rowsum(dO ∘ O)), dq = dS·k /
/// √width and dk = dSᵀ·q / √width.
template <class Input>
void attend_backward(const attention_head<Input>& head, attention_workspace<Input>& workspace,
                     float* d_query, std::int64_t stride_d_query, float* d_key, float* d_value) {
    const std::int64_t width = head.width;
    const float scale = score_scale(width);
    std::memset(d_key, 0, unsign(head.count * width) * sizeof(float));
    std::memset(d_value, 0, unsign(head.count * width) * sizeof(float));
    // The left side of dqᵀ = kᵀ·dSᵀ. Rows at a power of two would share few lines of the cache.
    const std::int64_t turned_stride = in_lines(head.count) + turned_gap;
    Input* turned = workspace.turned.reserve(width * turned_stride);
    for (std::int64_t row = 0; row < head.count; ++row)
        for (std::int64_t i = 0; i < width; ++i)
            turned[i * turned_stride + row] = head.key[row * head.stride_key + i];
    float* scores = workspace.scores.reserve(key_block * longest_block);
    float* gradients = workspace.gradients.reserve(key_block * longest_block);
    float* d_turned = workspace.sums.reserve(width * longest_block);
    Input* weights = workspace.weights.reserve(key_block * longest_block);
    Input* score_gradients = workspace.score_gradients.reserve(key_block * longest_block);
    auto& memory = workspace.operands;
    for (std::int64_t first = 0; first < head.count; first += longest_block) {
        const std::int64_t queries = std::min(longest_block, head.count - first);
        const Input* query = head.query + first * head.stride_query;
        const Input* d_out = head.d_out + first * head.stride_query;
        const auto as_operand = [&](matrix_rows rows, const Input* stored, scratch<Input>& to) {
            const bool outputs = rows == matrix_rows::outputs;
            return operand_of(rows, outputs ? queries : width, outputs ? width : queries, stored,
                              head.stride_query, to);
        };
        const auto query_outputs = as_operand(matrix_rows::outputs, query, memory[0]);
        const auto query_inputs = as_operand(matrix_rows::inputs, query, memory[1]);
        const auto d_out_outputs = as_operand(matrix_rows::outputs, d_out, memory[2]);
        const auto d_out_inputs = as_operand(matrix_rows::inputs, d_out, memory[3]);
        for (std::int64_t key = 0; key < first + queries; key += key_block) {
            const std::int64_t keys = std::min(key_block, first + queries - key);
            product({keys, queries, width}, head.key + key * head.stride_key, head.stride_key,
                    query_outputs, product_mode::set, scores, queries);
            product({keys, queries, width}, head.value + key * head.stride_key, head.stride_key,
                    d_out_outputs, product_mode::set, gradients, queries);
            for (std::int64_t row = 0; row < keys; ++row) {
                const std::int64_t hidden = std::max<std::int64_t>(0, key + row - first);
                kernels::attention_gradient(
                    scores + row * queries, gradients + row * queries, head.log_sum + first,
                    head.mean + first, scale, unsign(hidden), unsign(queries),
                    weights + row * queries, score_gradients + row * queries);
            }
            product({keys, width, queries}, weights, queries, d_out_inputs, product_mode::add,
                    d_value + key * width, width);
            product({keys, width, queries}, score_gradients, queries, query_inputs,
                    product_mode::add, d_key + key * width, width);
            const auto turned_gradients =
                operand_of(matrix_rows::inputs, queries, keys, score_gradients, queries, memory[4]);
            product({width, queries, keys}, turned + key, turned_stride, turned_gradients,
                    key == 0 ? product_mode::set : product_mode::add, d_turned, queries);
        }
        for (std::int64_t row = 0; row < queries; ++row)
            for (std::int64_t i = 0; i < width; ++i)
                d_query[(first + row) * stride_d_query + i] = d_turned[i * queries + row];
    }
}

#define CUSET_INSTANTIATE(Input)                                                             \
    template std::int64_t query_block<Input>(std::int64_t);                                  \
    template std::int64_t packed_keys_elements<Input>(std::int64_t, std::int64_t);           \
    template key_operands<Input> packed_keys(std::int64_t, std::int64_t, const Input*,       \
                                             const Input*, std::int64_t, Input*);            \
    template void attend(const query_rows&, const Input*, std::int64_t,                      \
                         const key_operands<Input>&, attention_workspace<Input>&, float*,    \
                         std::int64_t, float*);                                              \
    template void attend_backward(const attention_head<Input>&, attention_workspace<Input>&, \
                                  float*, std::int64_t, float*, float*);
CUSET_INSTANTIATE(float)
CUSET_INSTANTIATE(bfloat16_bits)
#undef CUSET_INSTANTIATE

}  // namespace cuset
