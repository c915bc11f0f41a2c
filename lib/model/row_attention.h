// Causal attention of one head on the CPU, forward and backward, in blocks of queries: memory grows
// with the rows, not with their square. Private to lib/model.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cuset/kernels/decoder_rows.h"
#include "products.h"
#include "row_tasks.h"

namespace cuset {

/// Keys and values of a sample for one head, as products take them.
template <class Input>
struct key_operands {
    product_operand<Input> key, value;
};

/// Elements that packed_keys() needs; 0 if products take the rows as they are.
template <class Input>
std::int64_t packed_keys_elements(std::int64_t keys, std::int64_t width);

/// The operands of `keys` rows of `width` each, `stride` apart. They are in `memory` where products
/// take packed matrices.
template <class Input>
key_operands<Input> packed_keys(std::int64_t keys, std::int64_t width, const Input* key,
                                const Input* value, std::int64_t stride, Input* memory);

/// What one thread needs.
template <class Input>
struct attention_workspace {
    scratch<float> scores, gradients, sums;
    scratch<Input> weights, score_gradients, turned;
    scratch<Input> operands[5];
};

/// A block of queries of one sample and head: row i of it is the sample's row first + i, and sees
/// the sample's rows up to itself.
struct query_rows {
    std::int64_t first, count;
    std::int64_t width;
};

/// Queries of a block for a sample of `keys` rows: few enough that their scores stay in a core's
/// cache, or as many as MKL needs to be quick.
template <class Input>
std::int64_t query_block(std::int64_t keys);

/// out [count × width] = softmax(q·kᵀ / √width)·v, in float. log_sum[i], if it is given, is
/// log Σ exp of the scaled scores of query i.
template <class Input>
void attend(const query_rows& rows, const Input* query, std::int64_t stride,
            const key_operands<Input>& keys, attention_workspace<Input>& workspace, float* out,
            std::int64_t stride_out, float* log_sum);

/// One head of a whole sample: `count` rows of `width`.
template <class Input>
struct attention_head {
    std::int64_t count, width;
    const Input* query;
    const Input* d_out;         ///< the gradient of attend()'s result
    std::int64_t stride_query;  ///< of d_out too
    const Input *key, *value;
    std::int64_t stride_key;  ///< of value too
    const float* log_sum;     ///< [count], as attend() gave it
    const float* mean;        ///< [count]: Σ over the width of d_out · out
};

/// The gradients of attend(): d_query [count × width] with the given stride is overwritten; d_key
/// and d_value [count × width], dense, are overwritten.
template <class Input>
void attend_backward(const attention_head<Input>& head, attention_workspace<Input>& workspace,
                     float* d_query, std::int64_t stride_d_query, float* d_key, float* d_value);

}  // namespace cuset
