#include "fused_forward.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "head_tile.h"
#include "products.h"
#include "rotate_heads.h"

namespace cuset {

namespace {

using kernels::bfloat16_bits;

/// Rows of a strip for MKL: enough that it packs a panel of weights for much work.
constexpr std::int64_t mkl_strip_rows = 512;
/// Rows of a strip for packed matrices, which need no such work: a strip's intermediate results
/// stay in a core's cache. It is a multiple of every product_rows().
constexpr std::int64_t packed_strip_rows = 96;
/// Outputs of gate and up that exist in float at a time, beside packed matrices: 96 rows of both
/// are 192 KB.
constexpr std::int64_t inner_block = 256;
/// Logits of a strip: at most 512 rows × 1024 tokens × 4 bytes = 2 MB.
constexpr std::int64_t head_strip_tokens = 1024;

std::size_t unsign(std::int64_t value) { return static_cast<std::size_t>(value); }

}  // namespace

template <class Input>
fused_forward<Input>::fused_forward(const decoder_weights& weights, int threads)
    : packed_(takes_packed_matrices<Input>()),
      strip_rows_(packed_ ? packed_strip_rows : mkl_strip_rows),
      strip_unit_(packed_ ? product_rows<Input>() : 1),
      pool_(threads),
      workspaces_(unsign(threads)),
      weights_(weights),
      config_(weights.config),
      query_width_(config_.heads * config_.head_dim),
      key_width_(config_.kv_heads * config_.head_dim),
      qkv_width_(query_width_ + 2 * key_width_) {
    for (const auto& layer : weights_.layers) {
        for (const auto& named : linear_layers) {
            const linear_weights& linear = layer.*named.weights;
            if (!linear.update) continue;
            const low_rank_update& update = *linear.update;
            const std::int64_t outputs = linear.weight.rows;
            product_operand<float>& b = updates_[&update];
            if (takes_packed_matrices<float>()) {
                auto& memory =
                    packed_updates_.emplace_back(unsign(packed_elements(outputs, update.rank)));
                pack_outputs(matrix_rows::outputs, 0, outputs, update.rank, update.b.data(),
                             update.rank, memory.data());
                b = packed_operand<float>(memory.data(), update.rank);
            } else {
                b = {update.b.data(), update.rank};
            }
        }
    }
}

template <class Input>
void fused_forward<Input>::embed(const packed_batch& batch) {
    rows_ = static_cast<std::int64_t>(batch.inputs.size());
    float* residual = residual_.reserve(rows_ * config_.hidden);
    normed_.reserve(rows_ * config_.hidden);
    qkv_.reserve(rows_ * qkv_width_);
    if constexpr (!std::is_same_v<Input, float>) rounded_qkv_.reserve(rows_ * qkv_width_);
    attended_.reserve(rows_ * query_width_);

    positions_.resize(batch.inputs.size());
    std::int64_t longest = 0;
    for (const auto& sample : batch.samples) {
        for (std::int64_t row = sample.begin; row < sample.end; ++row) {
            positions_[unsign(row)] = row - sample.begin;
        }
        longest = std::max(longest, sample.end - sample.begin);
    }
    rope_.cover(config_, longest);

    const row_strips strips(pool_, rows_, strip_rows_, strip_unit_);
    pool_.run(strips.count(), [&](std::int64_t strip) {
        const std::int64_t first = strips.begin(strip), count = strips.size(strip);
        for (std::int64_t row = first; row < first + count; ++row) {
            read_row(weights_.embedding, batch.inputs[unsign(row)],
                     residual + row * config_.hidden);
        }
        normalise(weights_.layers.front().input_norm, first, count);
    });
}

template <class Input>
void fused_forward<Input>::normalise(const std::vector<float>& weight, std::int64_t first,
                                     std::int64_t rows) {
    const std::int64_t at = first * config_.hidden;
    kernels::rms_norm(residual_.data() + at, weight.data(),
                      static_cast<float>(config_.norm_epsilon), unsign(rows),
                      unsign(config_.hidden), normed_.data() + at);
}

template <class Input>
const float* fused_forward<Input>::reduced(const linear_weights& linear, std::size_t place,
                                           std::int64_t first, std::int64_t count,
                                           std::int64_t rows, const Input* x,
                                           std::int64_t stride_x) {
    if (!linear.update) return nullptr;
    const low_rank_update& update = *linear.update;
    const float* wide = nullptr;
    std::int64_t stride = stride_x;
    if constexpr (std::is_same_v<Input, float>) {
        wide = x;
    } else {
        float* to = local().widened.reserve(rows * count);
        for (std::int64_t row = 0; row < rows; ++row)
            kernels::widen(x + row * stride_x, unsign(count), to + row * count);
        wide = to;
        stride = count;
    }
    float* to = local().updates[place].reserve(rows * update.rank);
    kernels::row_products({unsign(rows), unsign(update.rank), unsign(count)}, wide, unsign(stride),
                          update.a.data() + first, unsign(linear.weight.columns), product_mode::set,
                          to, unsign(update.rank));
    for (std::int64_t i = 0; i < rows * update.rank; ++i) to[i] *= update.scale;
    return to;
}

template <class Input>
void fused_forward<Input>::add_extras(const linear_weights& linear, bool bias, std::int64_t first,
                                      std::int64_t count, std::int64_t rows, const float* reduced,
                                      float* y, std::int64_t stride_y) {
    if (bias && !linear.bias.empty()) {
        for (std::int64_t row = 0; row < rows; ++row)
            kernels::add(linear.bias.data() + first, unsign(count), y + row * stride_y);
    }
    if (reduced == nullptr) return;
    const low_rank_update& update = *linear.update;
    product({rows, count, update.rank}, reduced, update.rank,
            updates_.at(&update).from_output(first), product_mode::add, y, stride_y);
}

template <class Input>
template <class Finish>
void fused_forward<Input>::project(std::initializer_list<projection> projections, const Input* x,
                                   product_mode mode, float* y, std::int64_t stride_y,
                                   const Finish& finish) {
    const std::int64_t columns = projections.begin()->linear->weight.columns;
    const std::int64_t most_rows =
        std::max(operand_outputs, panel_elements / columns / operand_outputs * operand_outputs);
    std::vector<projection> pieces;  // of panels_.panels(), in its order
    const auto flush = [&](bool last) {
        panels_.load(pool_);
        const row_strips strips(pool_, rows_, strip_rows_, strip_unit_);
        pool_.run(strips.count(), [&](std::int64_t strip) {
            const std::int64_t first = strips.begin(strip), count = strips.size(strip);
            const Input* rows_in = x + first * columns;
            for (std::size_t i = 0; i < pieces.size(); ++i) {
                const auto& panel = panels_.panels()[i];
                float* out = y + first * stride_y + pieces[i].column + panel.row;
                product({count, panel.rows, columns}, rows_in, columns, panel.operand, mode, out,
                        stride_y);
                const linear_weights& linear = *pieces[i].linear;
                add_extras(linear, true, panel.row, panel.rows, count,
                           reduced(linear, 0, 0, columns, count, rows_in, columns), out, stride_y);
            }
            if (last) finish(first, count);
        });
        pieces.clear();
        panels_.clear();
    };
    std::int64_t held = 0;
    for (const auto& part : projections) {
        const weight_matrix& matrix = part.linear->weight;
        for (std::int64_t row = 0; row < matrix.rows;) {
            if (held == most_rows) {
                flush(false);
                held = 0;
            }
            const std::int64_t rows = std::min(matrix.rows - row, most_rows - held);
            panels_.add(matrix, row, rows, 0, columns);
            pieces.push_back(part);
            row += rows;
            // So that every matrix is cut at a multiple of operand_outputs.
            held += (rows + operand_outputs - 1) / operand_outputs * operand_outputs;
        }
    }
    flush(true);
}

template <class Input>
void fused_forward<Input>::rotate_rows(const layer_weights& layer, std::int64_t first,
                                       std::int64_t rows) {
    for (std::int64_t row = first; row < first + rows; ++row) {
        float* from = qkv_.data() + row * qkv_width_;
        Input* to = nullptr;
        if constexpr (std::is_same_v<Input, float>) {
            to = from;
        } else {
            to = rounded_qkv_.data() + row * qkv_width_;
        }
        rotate_heads(layer, config_, rope_, positions_[unsign(row)], from, to);
        if constexpr (!std::is_same_v<Input, float>) {
            const std::int64_t value = query_width_ + key_width_;
            kernels::narrow(from + value, unsign(key_width_), to + value);
        }
    }
}

template <class Input>
const Input* fused_forward<Input>::queries_keys_values() const {
    if constexpr (std::is_same_v<Input, float>) {
        return qkv_.data();
    } else {
        return rounded_qkv_.data();
    }
}

/// Fills keys_and_values_. Every block of queries uses the first part of its sample's.
template <class Input>
void fused_forward<Input>::pack_keys_and_values(const packed_batch& batch) {
    const std::int64_t width = config_.head_dim, heads = config_.kv_heads;
    const auto elements_of = [&](const packed_sample& sample) {
        return packed_keys_elements<Input>(sample.end - sample.begin, width);
    };
    std::vector<std::int64_t> places;
    std::int64_t elements = 0;
    for (const auto& sample : batch.samples) {
        places.push_back(elements);
        elements += heads * elements_of(sample);
    }
    Input* memory = packed_keys_.reserve(elements);
    keys_and_values_.resize(batch.samples.size() * unsign(heads));
    pool_.run(std::ssize(keys_and_values_), [&](std::int64_t task) {
        const auto& sample = batch.samples[unsign(task / heads)];
        const std::int64_t head = task % heads;
        const Input* key =
            queries_keys_values() + sample.begin * qkv_width_ + query_width_ + head * width;
        keys_and_values_[unsign(task)] =
            packed_keys(sample.end - sample.begin, width, key, key + key_width_, qkv_width_,
                        memory + places[unsign(task / heads)] + head * elements_of(sample));
    });
}

template <class Input>
void fused_forward<Input>::attend(const packed_batch& batch, bool scored_only) {
    pack_keys_and_values(batch);
    struct block {
        std::size_t sample;
        std::int64_t first_key, first, last;
    };
    std::vector<block> blocks;
    for (std::size_t i = 0; i < batch.samples.size(); ++i) {
        const auto& sample = batch.samples[i];
        const std::int64_t from = scored_only ? sample.first_scored : sample.begin;
        const std::int64_t rows = query_block<Input>(sample.end - sample.begin);
        for (std::int64_t first = from; first < sample.end; first += rows) {
            blocks.push_back({i, sample.begin, first, std::min(first + rows, sample.end)});
        }
    }
    // Longest first, so that no thread begins a long one when the others are done.
    std::sort(blocks.begin(), blocks.end(), [](const block& a, const block& b) {
        return a.last - a.first_key > b.last - b.first_key;
    });
    const auto count = static_cast<std::int64_t>(blocks.size());
    pool_.run(count * config_.heads, [&](std::int64_t task) {
        const block& b = blocks[unsign(task / config_.heads)];
        attend_block(b.sample, b.first_key, b.first, b.last, task % config_.heads);
    });
}

/// Rows [first, last) of one head against keys [first_key, last).
template <class Input>
void fused_forward<Input>::attend_block(std::size_t sample, std::int64_t first_key,
                                        std::int64_t first, std::int64_t last, std::int64_t head) {
    const std::int64_t width = config_.head_dim, rows = last - first;
    const std::int64_t key_head = head / (config_.heads / config_.kv_heads);
    const auto& keys = keys_and_values_[sample * unsign(config_.kv_heads) + unsign(key_head)];
    const Input* query = queries_keys_values() + first * qkv_width_ + head * width;
    Input* out = attended_.data() + first * query_width_ + head * width;
    const query_rows block{first - first_key, rows, width};
    if constexpr (std::is_same_v<Input, float>) {
        cuset::attend(block, query, qkv_width_, keys, local().attention, out, query_width_,
                      nullptr);
    } else {
        float* wide = local().products.reserve(rows * width);
        cuset::attend(block, query, qkv_width_, keys, local().attention, wide, width, nullptr);
        for (std::int64_t row = 0; row < rows; ++row)
            kernels::narrow(wide + row * width, unsign(width), out + row * query_width_);
    }
}

/// In the last layer only scored rows go on; moves them together.
template <class Input>
void fused_forward<Input>::keep_scored_rows(const packed_batch& batch) {
    std::int64_t kept = 0;
    for (const auto& sample : batch.samples) {
        const std::int64_t count = sample.end - sample.first_scored;
        if (kept != sample.first_scored) {
            std::memmove(residual_.data() + kept * config_.hidden,
                         residual_.data() + sample.first_scored * config_.hidden,
                         unsign(count * config_.hidden) * sizeof(float));
            std::memmove(attended_.data() + kept * query_width_,
                         attended_.data() + sample.first_scored * query_width_,
                         unsign(count * query_width_) * sizeof(Input));
        }
        kept += count;
    }
    rows_ = kept;
}

template <class Input>
void fused_forward<Input>::feed_forward(const layer_weights& layer,
                                        const std::vector<float>& next_norm) {
    const std::int64_t hidden = config_.hidden, inner = config_.intermediate;
    const std::int64_t width =
        std::min(inner, std::max<std::int64_t>(64, panel_elements / (3 * hidden) / 64 * 64));
    for (std::int64_t begin = 0; begin < inner; begin += width) {
        const std::int64_t part = std::min(width, inner - begin);
        const bool last = begin + part == inner;
        panels_.clear();
        panels_.add(layer.gate.weight, begin, part, 0, hidden);
        panels_.add(layer.up.weight, begin, part, 0, hidden);
        panels_.add(layer.down.weight, 0, hidden, begin, part);
        panels_.load(pool_);
        const auto& panels = panels_.panels();
        const row_strips strips(pool_, rows_, strip_rows_, strip_unit_);
        pool_.run(strips.count(), [&](std::int64_t strip) {
            const std::int64_t first = strips.begin(strip), count = strips.size(strip);
            const Input* x = normed_.data() + first * hidden;
            float* residual = residual_.data() + first * hidden;
            const std::int64_t block = packed_ ? inner_block : part;
            float* gate = local().products.reserve(2 * strips.length() * block);
            float* up = gate + count * block;
            Input* activated = local().inputs.reserve(strips.length() * part);
            const float* reduced_gate = reduced(layer.gate, 0, 0, hidden, count, x, hidden);
            const float* reduced_up = reduced(layer.up, 1, 0, hidden, count, x, hidden);
            for (std::int64_t at = 0; at < part; at += block) {
                const std::int64_t some = std::min(block, part - at);
                const auto project_block = [&](const linear_weights& linear, std::size_t panel,
                                               const float* update, float* to) {
                    product({count, some, hidden}, x, hidden, panels[panel].operand.from_output(at),
                            product_mode::set, to, some);
                    add_extras(linear, true, begin + at, some, count, update, to, some);
                };
                project_block(layer.gate, 0, reduced_gate, gate);
                project_block(layer.up, 1, reduced_up, up);
                for (std::int64_t row = 0; row < count; ++row)
                    kernels::swiglu(gate + row * some, up + row * some, unsign(some),
                                    activated + row * part + at);
            }
            product({count, hidden, part}, activated, part, panels[2].operand, product_mode::add,
                    residual, hidden);
            add_extras(layer.down, last, 0, hidden, count,
                       reduced(layer.down, 0, begin, part, count, activated, part), residual,
                       hidden);
            if (last) normalise(next_norm, first, count);
        });
    }
    panels_.clear();
}

/// log-probabilities of the targets from the normed scored rows, a strip of the vocabulary at a
/// time: no more than strip_rows_ × head_strip_tokens logits a thread ever exist.
template <class Input>
void fused_forward<Input>::score(const packed_batch& batch, std::span<float> log_probability) {
    const std::int64_t hidden = config_.hidden;
    const std::int64_t width =
        std::max<std::int64_t>(16, std::min(head_strip_tokens, panel_elements / hidden / 16 * 16));
    std::vector<kernels::token_loss_state> states(unsign(rows_), kernels::empty_token_loss);
    const row_strips strips(pool_, rows_, strip_rows_, strip_unit_);
    for (std::int64_t token = 0; token < config_.vocab; token += width) {
        const std::int64_t tokens = std::min(width, config_.vocab - token);
        panels_.clear();
        panels_.add(weights_.head, token, tokens, 0, hidden);
        panels_.load(pool_);
        const auto& panel = panels_.panels().front();
        pool_.run(strips.count(), [&](std::int64_t strip) {
            const std::int64_t first = strips.begin(strip), count = strips.size(strip);
            float* logits = local().products.reserve(strips.length() * width);
            add_head_tile({count, tokens, hidden}, normed_.data() + first * hidden, panel.operand,
                          token, batch.targets.data() + first, logits, states.data() + first);
        });
    }
    panels_.clear();
    kernels::token_loss_finish(states.data(), states.size(), log_probability.data());
}

template <class Input>
void fused_forward<Input>::run(const packed_batch& batch, std::span<float> log_probability) {
    embed(batch);
    const std::size_t layers = weights_.layers.size();
    for (std::size_t i = 0; i < layers; ++i) {
        const layer_weights& layer = weights_.layers[i];
        const bool last = i + 1 == layers;
        project({{&layer.query, 0},
                 {&layer.key, query_width_},
                 {&layer.value, query_width_ + key_width_}},
                normed_.data(), product_mode::set, qkv_.data(), qkv_width_,
                [&](std::int64_t first, std::int64_t rows) { rotate_rows(layer, first, rows); });
        attend(batch, last);
        if (last) keep_scored_rows(batch);
        project({{&layer.output, 0}}, attended_.data(), product_mode::add, residual_.data(),
                config_.hidden, [&](std::int64_t first, std::int64_t rows) {
                    normalise(layer.post_attention_norm, first, rows);
                });
        feed_forward(layer, last ? weights_.final_norm : weights_.layers[i + 1].input_norm);
    }
    score(batch, log_probability);
}

template class fused_forward<float>;
template class fused_forward<bfloat16_bits>;

std::unique_ptr<forward_pass> make_fused_forward(const decoder_weights& weights,
                                                 bool bfloat16_products, int threads) {
    if (bfloat16_products) return std::make_unique<fused_forward<bfloat16_bits>>(weights, threads);
    return std::make_unique<fused_forward<float>>(weights, threads);
}

}  // namespace cuset
