// The CPU forward pass: products on strips of rows, one strip a thread, and between them kernels
// that read each row once while it is in cache. Private to lib/model.
#pragma once

#include <unordered_map>
#include <vector>

#include "cuset/kernels/token_loss.h"
#include "forward.h"
#include "rope_table.h"
#include "row_attention.h"
#include "row_tasks.h"
#include "weight_panels.h"

namespace cuset {

/// `Input` is the type of both inputs of every product: float or kernels::bfloat16_bits. Results,
/// the residual stream, softmax and norms are float.
template <class Input>
class fused_forward final : public forward_pass {
public:
    fused_forward(const decoder_weights& weights, int threads);
    void run(const packed_batch& batch, std::span<float> log_probability) override;

private:
    /// A linear layer and the column of the result where its output begins.
    struct projection {
        const linear_weights* linear;
        std::int64_t column;
    };
    /// What one thread needs besides its rows.
    struct workspace {
        scratch<float> products, updates[2], widened;
        scratch<Input> inputs;
        attention_workspace<Input> attention;
    };

    workspace& local() { return workspaces_[task_pool::thread_index()]; }

    void embed(const packed_batch& batch);
    /// y (+)= x·Wᵀ + bias + update for several layers that share the input x [rows × columns of
    /// W], strip by strip; then finish(first row, rows) for each strip while it is in cache.
    template <class Finish>
    void project(std::initializer_list<projection> projections, const Input* x, product_mode mode,
                 float* y, std::int64_t stride_y, const Finish& finish);
    /// The first half of a layer's update, scale · x·Aᵀ for `rows` rows of x, which are the layer's
    /// inputs [first, first + count). It is kept in one of two places; null without an update.
    const float* reduced(const linear_weights& linear, std::size_t place, std::int64_t first,
                         std::int64_t count, std::int64_t rows, const Input* x,
                         std::int64_t stride_x);
    /// Adds a layer's bias, if `bias`, and its update to `rows` rows of y: outputs [first, first +
    /// count).
    void add_extras(const linear_weights& linear, bool bias, std::int64_t first, std::int64_t count,
                    std::int64_t rows, const float* reduced, float* y, std::int64_t stride_y);
    void rotate_rows(const layer_weights& layer, std::int64_t first, std::int64_t rows);
    const Input* queries_keys_values() const;
    void pack_keys_and_values(const packed_batch& batch);
    void attend(const packed_batch& batch, bool scored_only);
    void attend_block(std::size_t sample, std::int64_t first_key, std::int64_t first,
                      std::int64_t last, std::int64_t head);
    void keep_scored_rows(const packed_batch& batch);
    void feed_forward(const layer_weights& layer, const std::vector<float>& next_norm);
    void normalise(const std::vector<float>& weight, std::int64_t first, std::int64_t rows);
    void score(const packed_batch& batch, std::span<float> log_probability);

    bool packed_;  ///< whether products of Input take packed matrices
    /// Rows of a strip, at most; and the number that one strip's rows are a multiple of.
    std::int64_t strip_rows_, strip_unit_;
    task_pool pool_;
    std::vector<workspace> workspaces_;  ///< one a thread
    const decoder_weights& weights_;
    const model_config& config_;
    std::int64_t query_width_, key_width_, qkv_width_;
    rope_table rope_;
    std::vector<std::int64_t> positions_;  ///< of each row within its sample
    std::int64_t rows_ = 0;                ///< of residual_ that are in use
    scratch<float> residual_;              ///< [rows × hidden]
    scratch<Input> normed_;                ///< [rows × hidden]
    scratch<float> qkv_;                   ///< [rows × qkv_width]: queries, keys, values
    scratch<Input> rounded_qkv_;           ///< the same as products take them, if not float
    scratch<Input> attended_;              ///< [rows × query_width]
    scratch<Input> packed_keys_;           ///< keys and values of all samples
    std::vector<key_operands<Input>> keys_and_values_;  ///< [samples × kv_heads]
    weight_panels<Input> panels_;
    /// The operands of the adapter's second products.
    std::unordered_map<const low_rank_update*, product_operand<float>> updates_;
    std::vector<std::vector<float>> packed_updates_;
};

}  // namespace cuset
