// The CPU forward pass: products by MKL on strips of rows, one strip a thread, and between them
// kernels that read each row once while it is in cache. Private to lib/model.
#pragma once

#include <vector>

#include "cuset/kernels/token_loss.h"
#include "forward.h"
#include "rope_table.h"
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
        scratch<float> products, updates, widened;
        scratch<Input> inputs;
    };

    workspace& local() { return workspaces_[task_pool::thread_index()]; }

    void embed(const packed_batch& batch);
    /// y (+)= x·Wᵀ + bias + update for several layers that share the input x [rows × columns of
    /// W], strip by strip; then finish(first row, rows) for each strip while it is in cache.
    template <class Finish>
    void project(std::initializer_list<projection> projections, const Input* x, float beta,
                 float* y, std::int64_t stride_y, const Finish& finish);
    /// Adds a layer's bias and update to `rows` rows of y: outputs [first, first + count) from
    /// inputs [x_first, x_first + x_count), bias only if `bias`.
    void add_extras(const linear_weights& linear, bool bias, std::int64_t first, std::int64_t count,
                    std::int64_t x_first, std::int64_t x_count, std::int64_t rows, const Input* x,
                    std::int64_t stride_x, float* y, std::int64_t stride_y);
    void rotate_rows(const layer_weights& layer, std::int64_t first, std::int64_t rows);
    void attend(const packed_batch& batch, bool scored_only);
    void attend_block(std::int64_t first_key, std::int64_t first, std::int64_t last,
                      std::int64_t head);
    void keep_scored_rows(const packed_batch& batch);
    void feed_forward(const layer_weights& layer, const std::vector<float>& next_norm);
    void normalise(const std::vector<float>& weight, std::int64_t first, std::int64_t rows);
    void score(const packed_batch& batch, std::span<float> log_probability);

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
    weight_panels<Input> panels_;
};

}  // namespace cuset
