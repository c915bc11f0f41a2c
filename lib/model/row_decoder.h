// The CPU pass that appends to cached sequences. Every row is computed from its own activations and
// its own sequence's keys and values alone, by kernels whose sums do not depend on what other rows
// there are: a result is the same, bit for bit, in any batch, at any number of threads, and
// whichever calls a sequence's tokens were divided into. Private to lib/model.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "cuset/kernels/row_products.h"
#include "decoding_matrix.h"
#include "decoding_pass.h"
#include "kv_cache.h"
#include "rope_table.h"
#include "row_tasks.h"

namespace cuset {

class row_decoder final : public decoding_pass {
public:
    /// With `bfloat16_products`, what is multiplied by matrices of bfloat16 is rounded to it.
    row_decoder(decoder_weights& weights, bool bfloat16_products, int threads,
                std::size_t sequences);
    void append(std::span<const decoding_step> steps, std::span<float> logits) override;
    void clear(std::size_t sequence) override { cache_.clear(sequence); }
    void truncate(std::size_t sequence, std::int64_t length) override {
        cache_.truncate(sequence, length);
    }
    void copy(std::size_t from, std::size_t to, std::int64_t length) override {
        cache_.copy(from, to, length);
    }

private:
    /// Consecutive tokens of one sequence: rows [row, row + tokens.size()) of a pass.
    struct piece {
        std::size_t sequence;
        std::int64_t position;  ///< of the first token
        std::span<const std::int32_t> tokens;
        std::int64_t row;
        std::int64_t scored;  ///< the last ones, whose logits are wanted; may be none
        float* logits;        ///< where they go
    };
    /// The input of linear layers, and the same rounded to bfloat16 or null.
    struct layer_input {
        const float* exact;
        const kernels::bfloat16_bits* rounded;
    };
    struct row_place {
        std::size_t sequence;
        std::int64_t position;
    };
    /// A linear layer; of its weights only bias and the update's A, rank and scale are used.
    struct packed_linear {
        const linear_weights* linear;
        decoding_matrix matrix;
        std::optional<decoding_matrix> update;  ///< B
    };
    struct packed_layer {
        const layer_weights* rest;
        packed_linear query, key, value, output, gate, up, down;
    };
    /// A linear layer with the input of its adapter's second product, [rows × rank], or null.
    struct adapted_linear {
        const packed_linear* layer = nullptr;
        const float* reduced = nullptr;
    };
    /// Where a linear layer's output goes.
    struct projection {
        const packed_linear* layer;
        float* to;
        std::int64_t stride;
    };

    void run_pass(const std::vector<piece>& pieces);
    void run_layer(std::int64_t index, const std::vector<piece>& pieces);
    void embed(std::int32_t token, float* to) const;
    void score(const std::vector<piece>& pieces);

    /// task(first row, rows) for all rows of the pass: here if they are few, else on all threads.
    template <class Task>
    void for_rows(const Task& task);
    void normalise(const std::vector<float>& weight);
    /// x [rows × width] for layers; it holds until the next call.
    layer_input input_of(const float* x, std::int64_t width);
    /// Makes what the adapter's second products take: of at most three layers that share x.
    std::array<adapted_linear, 3> adapted(std::span<const packed_linear* const> layers,
                                          const float* x);
    /// Outputs [first, first + count) of a layer for all rows of x, written to y's columns from 0.
    void outputs(const adapted_linear& layer, std::int64_t first, std::int64_t count, layer_input x,
                 kernels::product_mode mode, float* y, std::int64_t stride) const;
    void multiply(const decoding_matrix& matrix, layer_input x, std::int64_t first,
                  std::int64_t count, kernels::product_mode mode, float* y,
                  std::int64_t stride) const;
    /// Several layers that share the input x.
    void project(std::initializer_list<projection> projections, layer_input x,
                 kernels::product_mode mode);
    void attend(std::int64_t layer, const std::vector<piece>& pieces);
    void attend_rows(std::int64_t layer, const piece& p, std::int64_t first, std::int64_t last,
                     std::int64_t key_head);
    void feed_forward(const packed_layer& layer);

    bool bfloat16_products_;
    task_pool pool_;
    std::vector<scratch<float>> workspaces_;  ///< one a thread
    const decoder_weights& weights_;
    const model_config& config_;
    std::int64_t query_width_, key_width_, qkv_width_;
    large_pages matrices_;
    std::vector<packed_layer> layers_;
    decoding_matrix head_;
    bool tied_;  ///< the head is the embedding too
    rope_table rope_;
    kv_cache cache_;
    std::int64_t rows_ = 0;  ///< of the pass
    std::vector<row_place> places_;
    scratch<float> residual_, normed_;         ///< [rows × hidden]
    scratch<float> qkv_;                       ///< [rows × qkv_width]: queries, keys, values
    scratch<float> attended_;                  ///< [rows × query_width]
    scratch<float> activated_;                 ///< [rows × intermediate]
    scratch<float> reduced_[3];                ///< of the layers that run at a time
    scratch<kernels::bfloat16_bits> rounded_;  ///< input_of()'s
};

}  // namespace cuset
