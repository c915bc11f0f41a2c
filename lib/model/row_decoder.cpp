#include "row_decoder.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "rotate_heads.h"

namespace cuset {

namespace {

using kernels::product_mode;

/// Rows of a pass: enough that weights are read seldom, few enough that activations stay in a
/// core's cache.
constexpr std::int64_t pass_rows = 256;
/// Fewer rows than this are not worth waking a thread for.
constexpr std::int64_t strip_rows = 16;
/// Outputs of a task: few, so that all threads end at nearly the same time.
constexpr std::int64_t task_outputs = decoding_matrix::unit;
constexpr std::int64_t head_task_outputs = 8 * task_outputs;
/// Outputs of an adapter's first product that one task makes of few rows: so a thread reads some
/// of it, as of every other matrix. They are a multiple of the rows that the kernel takes.
constexpr std::int64_t reduced_outputs = 6;
/// Most rows of a product of queries with keys.
constexpr std::int64_t query_rows = 24;
/// Scores are made in multiples of this many: the widest vector.
constexpr std::int64_t score_columns = 16;
constexpr std::int64_t block_tokens = kv_cache::block_tokens;
static_assert(block_tokens % score_columns == 0);

std::size_t unsign(std::int64_t value) { return static_cast<std::size_t>(value); }

std::int64_t blocks_of(std::int64_t count, std::int64_t size) { return (count + size - 1) / size; }

decoding_matrix packed(weight_matrix& matrix, decoder_weights& weights, task_pool& pool,
                       large_pages& memory) {
    decoding_matrix to(matrix, pool, memory);
    if (matrix.quantised == nullptr) weights.release(matrix);
    return to;
}

}  // namespace

row_decoder::row_decoder(decoder_weights& weights, bool bfloat16_products, int threads,
                         std::size_t sequences)
    : bfloat16_products_(bfloat16_products),
      pool_(threads),
      workspaces_(unsign(threads)),
      weights_(weights),
      config_(weights.config),
      query_width_(config_.heads * config_.head_dim),
      key_width_(config_.kv_heads * config_.head_dim),
      qkv_width_(query_width_ + 2 * key_width_),
      head_(packed(weights.head, weights, pool_, matrices_)),
      tied_(config_.tied_embeddings),
      cache_(config_, sequences) {
    const auto linear = [&](linear_weights& one) {
        packed_linear to{&one, packed(one.weight, weights, pool_, matrices_), {}};
        if (one.update) {
            auto& b = one.update->b;
            to.update.emplace(
                weight_matrix{b.data(), element_type::f32, to.matrix.outputs(), one.update->rank},
                pool_, matrices_);
            b = {};
        }
        return to;
    };
    for (auto& layer : weights.layers) {
        layers_.push_back({&layer, linear(layer.query), linear(layer.key), linear(layer.value),
                           linear(layer.output), linear(layer.gate), linear(layer.up),
                           linear(layer.down)});
    }
}

void row_decoder::append(std::span<const decoding_step> steps, std::span<float> logits) {
    std::int64_t longest = 0;
    for (const auto& step : steps) {
        const std::int64_t length = step.past + std::ssize(step.tokens);
        cache_.reserve(step.sequence, length);
        longest = std::max(longest, length);
    }
    rope_.cover(config_, longest);
    std::vector<piece> pieces;
    std::int64_t rows = 0;
    float* to = logits.data();
    for (const auto& step : steps) {
        const std::int64_t tokens = std::ssize(step.tokens), first_scored = tokens - step.scored;
        for (std::int64_t done = 0; done < tokens;) {
            const std::int64_t count = std::min(tokens - done, pass_rows - rows);
            const std::int64_t scored =
                std::max<std::int64_t>(0, done + count - std::max(done, first_scored));
            pieces.push_back({step.sequence, step.past + done,
                              step.tokens.subspan(unsign(done), unsign(count)), rows, scored, to});
            to += scored * config_.vocab;
            rows += count;
            done += count;
            if (rows == pass_rows) {
                run_pass(pieces);
                pieces.clear();
                rows = 0;
            }
        }
    }
    if (!pieces.empty()) run_pass(pieces);
}

template <class Task>
void row_decoder::for_rows(const Task& task) {
    if (rows_ <= strip_rows) {
        task(std::int64_t{0}, rows_);
        return;
    }
    pool_.run(blocks_of(rows_, strip_rows), [&](std::int64_t strip) {
        const std::int64_t first = strip * strip_rows;
        task(first, std::min(strip_rows, rows_ - first));
    });
}

void row_decoder::run_pass(const std::vector<piece>& pieces) {
    rows_ = pieces.back().row + std::ssize(pieces.back().tokens);
    residual_.reserve(rows_ * config_.hidden);
    normed_.reserve(rows_ * config_.hidden);
    qkv_.reserve(rows_ * qkv_width_);
    attended_.reserve(rows_ * query_width_);
    activated_.reserve(rows_ * config_.intermediate);
    places_.clear();
    for (const auto& p : pieces) {
        std::int64_t position = p.position;
        for (const std::int32_t token : p.tokens) {
            embed(token, residual_.data() + std::ssize(places_) * config_.hidden);
            places_.push_back({p.sequence, position++});
        }
    }
    for (std::int64_t layer = 0; layer < config_.layers; ++layer) run_layer(layer, pieces);
    score(pieces);
}

/// A tied embedding's pages are not read again, or they would be in memory twice.
void row_decoder::embed(std::int32_t token, float* to) const {
    if (tied_)
        head_.read_output(token, to);
    else
        read_row(weights_.embedding, token, to);
}

void row_decoder::normalise(const std::vector<float>& weight) {
    for_rows([&](std::int64_t first, std::int64_t rows) {
        const std::int64_t at = first * config_.hidden;
        kernels::rms_norm(residual_.data() + at, weight.data(),
                          static_cast<float>(config_.norm_epsilon), unsign(rows),
                          unsign(config_.hidden), normed_.data() + at);
    });
}

row_decoder::layer_input row_decoder::input_of(const float* x, std::int64_t width) {
    if (!bfloat16_products_) return {x, nullptr};
    kernels::bfloat16_bits* to = rounded_.reserve(rows_ * width);
    for_rows([&](std::int64_t first, std::int64_t rows) {
        kernels::narrow(x + first * width, unsign(rows * width), to + first * width);
    });
    return {x, to};
}

void row_decoder::multiply(const decoding_matrix& matrix, layer_input x, std::int64_t first,
                           std::int64_t count, product_mode mode, float* y,
                           std::int64_t stride) const {
    if (x.rounded != nullptr && matrix.takes_bfloat16())
        matrix.multiply(rows_, x.rounded, first, count, mode, y, stride);
    else
        matrix.multiply(rows_, x.exact, first, count, mode, y, stride);
}

/// Few rows have their outputs shared among the threads, many rows are shared themselves.
std::array<row_decoder::adapted_linear, 3> row_decoder::adapted(
    std::span<const packed_linear* const> layers, const float* x) {
    struct task {
        std::size_t layer;
        std::int64_t first, count, row, rows;
    };
    std::array<adapted_linear, 3> all{};
    std::vector<task> tasks;
    std::size_t slot = 0;
    for (const packed_linear* layer : layers) {
        all[slot].layer = layer;
        if (layer->update) {
            const std::int64_t rank = layer->linear->update->rank;
            all[slot].reduced = reduced_[slot].reserve(rows_ * rank);
            const std::int64_t outputs = rows_ <= strip_rows ? reduced_outputs : rank;
            for (std::int64_t row = 0; row < rows_; row += strip_rows) {
                const std::int64_t rows = std::min(strip_rows, rows_ - row);
                for (std::int64_t first = 0; first < rank; first += outputs) {
                    tasks.push_back({slot, first, std::min(outputs, rank - first), row, rows});
                }
            }
        }
        ++slot;
    }
    pool_.run(std::ssize(tasks), [&](std::int64_t i) {
        const task& t = tasks[unsign(i)];
        const low_rank_update& update = *all[t.layer].layer->linear->update;
        const std::int64_t columns = all[t.layer].layer->matrix.inputs();
        float* to = reduced_[t.layer].data() + t.row * update.rank + t.first;
        kernels::row_products({unsign(t.rows), unsign(t.count), unsign(columns)},
                              x + t.row * columns, unsign(columns),
                              update.a.data() + t.first * columns, unsign(columns),
                              product_mode::set, to, unsign(update.rank));
        for (std::int64_t row = 0; row < t.rows; ++row, to += update.rank) {
            for (std::int64_t j = 0; j < t.count; ++j) to[j] *= update.scale;
        }
    });
    return all;
}

void row_decoder::outputs(const adapted_linear& layer, std::int64_t first, std::int64_t count,
                          layer_input x, product_mode mode, float* y, std::int64_t stride) const {
    const linear_weights& linear = *layer.layer->linear;
    multiply(layer.layer->matrix, x, first, count, mode, y, stride);
    if (!linear.bias.empty()) {
        for (std::int64_t row = 0; row < rows_; ++row) {
            kernels::add(linear.bias.data() + first, unsign(count), y + row * stride);
        }
    }
    if (layer.reduced == nullptr) return;
    layer.layer->update->multiply(rows_, layer.reduced, first, count, product_mode::add, y, stride);
}

void row_decoder::project(std::initializer_list<projection> projections, layer_input x,
                          product_mode mode) {
    struct task {
        adapted_linear layer;
        std::int64_t first;
        float* to;
        std::int64_t stride;
    };
    std::vector<const packed_linear*> layers;
    for (const auto& p : projections) layers.push_back(p.layer);
    const auto with_updates = adapted(layers, x.exact);
    std::vector<task> tasks;
    std::size_t slot = 0;
    for (const auto& p : projections) {
        const adapted_linear& layer = with_updates[slot++];
        for (std::int64_t first = 0; first < p.layer->matrix.outputs(); first += task_outputs) {
            tasks.push_back({layer, first, p.to + first, p.stride});
        }
    }
    pool_.run(std::ssize(tasks), [&](std::int64_t i) {
        const task& t = tasks[unsign(i)];
        const std::int64_t left = t.layer.layer->matrix.outputs() - t.first;
        outputs(t.layer, t.first, std::min(task_outputs, left), x, mode, t.to, t.stride);
    });
}

/// Each query attends to the tokens of its sequence up to its own.
void row_decoder::attend(std::int64_t layer, const std::vector<piece>& pieces) {
    struct block {
        const piece* of;
        std::int64_t first, last;  ///< rows of the piece
    };
    // Few sequences are cut into more blocks, so that every thread gets a like share.
    const std::int64_t parts =
        blocks_of(2 * pool_.threads(), std::ssize(pieces) * config_.kv_heads);
    const std::int64_t most_rows =
        std::max<std::int64_t>(1, query_rows / (config_.heads / config_.kv_heads));
    std::vector<block> blocks;
    for (const auto& p : pieces) {
        const std::int64_t count = std::ssize(p.tokens);
        const std::int64_t rows = std::min(most_rows, blocks_of(count, parts));
        for (std::int64_t first = 0; first < count; first += rows) {
            blocks.push_back({&p, first, std::min(first + rows, count)});
        }
    }
    // Longest first, so that no thread begins a long one when the others are done.
    std::sort(blocks.begin(), blocks.end(), [](const block& a, const block& b) {
        return a.of->position + a.last > b.of->position + b.last;
    });
    pool_.run(std::ssize(blocks) * config_.kv_heads, [&](std::int64_t task) {
        const block& b = blocks[unsign(task / config_.kv_heads)];
        attend_rows(layer, *b.of, b.first, b.last, task % config_.kv_heads);
    });
}

/// Rows [first, last) of a piece, the query heads that share one key head: softmax(Q·Kᵀ/√d)·V.
void row_decoder::attend_rows(std::int64_t layer, const piece& p, std::int64_t first,
                              std::int64_t last, std::int64_t key_head) {
    const std::int64_t width = config_.head_dim, group = config_.heads / config_.kv_heads;
    const std::int64_t count = (last - first) * group, query_column = key_head * group * width;
    const std::int64_t keys = p.position + last;
    // Whole vectors of scores: those of tokens not yet there come out as anything, and are not
    // used.
    const std::int64_t stride = blocks_of(keys, score_columns) * score_columns;
    float* query = workspaces_[task_pool::thread_index()].reserve(count * (width + stride));
    float* scores = query + count * width;
    for (std::int64_t row = first; row < last; ++row) {
        std::memcpy(query + (row - first) * group * width,
                    qkv_.data() + (p.row + row) * qkv_width_ + query_column,
                    unsign(group * width) * sizeof(float));
    }
    for (std::int64_t begin = 0; begin < stride; begin += block_tokens) {
        const std::int64_t columns = std::min(block_tokens, stride - begin);
        kernels::weighted_rows(
            {unsign(count), unsign(width), unsign(columns)}, query, unsign(width),
            cache_.keys(p.sequence, layer, key_head, begin / block_tokens), unsign(block_tokens),
            product_mode::set, scores + begin, unsign(stride));
    }
    const float scale = 1.0F / std::sqrt(static_cast<float>(width));
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t visible = p.position + first + i / group + 1;
        float* x = scores + i * stride;
        kernels::softmax(x, scale, unsign(visible), unsign(visible), x);
    }
    float* out = query;  // no longer needed
    const auto add_values = [&](std::int64_t from, std::int64_t rows, std::int64_t begin,
                                std::int64_t end) {
        kernels::weighted_rows({unsign(rows), unsign(end - begin), unsign(width)},
                               scores + from * stride + begin, unsign(stride),
                               cache_.values(p.sequence, layer, key_head, begin / block_tokens),
                               unsign(width), begin == 0 ? product_mode::set : product_mode::add,
                               out + from * width, unsign(width));
    };
    // Blocks that every row sees, for all of them while they are in cache; then each row's last.
    std::int64_t begin = 0;
    for (; begin + block_tokens <= p.position + first + 1; begin += block_tokens) {
        add_values(0, count, begin, begin + block_tokens);
    }
    for (std::int64_t row = first; row < last; ++row) {
        const std::int64_t visible = p.position + row + 1, from = (row - first) * group;
        for (std::int64_t at = begin; at < visible; at += block_tokens) {
            add_values(from, group, at, std::min(at + block_tokens, visible));
        }
        std::memcpy(attended_.data() + (p.row + row) * query_width_ + query_column,
                    out + from * width, unsign(group * width) * sizeof(float));
    }
}

void row_decoder::feed_forward(const packed_layer& layer) {
    const std::int64_t inner = config_.intermediate;
    const packed_linear* const layers[] = {&layer.gate, &layer.up};
    const auto with_updates = adapted(layers, normed_.data());
    const layer_input x = input_of(normed_.data(), config_.hidden);
    const adapted_linear &gate = with_updates[0], &up = with_updates[1];
    pool_.run(blocks_of(inner, task_outputs), [&](std::int64_t task) {
        const std::int64_t first = task * task_outputs;
        const std::int64_t count = std::min(task_outputs, inner - first);
        float* gates = workspaces_[task_pool::thread_index()].reserve(2 * rows_ * task_outputs);
        float* ups = gates + rows_ * count;
        outputs(gate, first, count, x, product_mode::set, gates, count);
        outputs(up, first, count, x, product_mode::set, ups, count);
        for (std::int64_t row = 0; row < rows_; ++row) {
            kernels::swiglu(gates + row * count, ups + row * count, unsign(count),
                            activated_.data() + row * inner + first);
        }
    });
    project({{&layer.down, residual_.data(), config_.hidden}}, input_of(activated_.data(), inner),
            product_mode::add);
}

void row_decoder::run_layer(std::int64_t index, const std::vector<piece>& pieces) {
    const packed_layer& layer = layers_[unsign(index)];
    normalise(layer.rest->input_norm);
    float* qkv = qkv_.data();
    project({{&layer.query, qkv, qkv_width_},
             {&layer.key, qkv + query_width_, qkv_width_},
             {&layer.value, qkv + query_width_ + key_width_, qkv_width_}},
            input_of(normed_.data(), config_.hidden), product_mode::set);
    for_rows([&](std::int64_t first, std::int64_t rows) {
        for (std::int64_t row = first; row < first + rows; ++row) {
            const row_place place = places_[unsign(row)];
            float* x = qkv + row * qkv_width_;
            rotate_heads(*layer.rest, config_, rope_, place.position, x, x);
            cache_.store(place.sequence, index, place.position, x + query_width_,
                         x + query_width_ + key_width_);
        }
    });
    attend(index, pieces);
    project({{&layer.output, residual_.data(), config_.hidden}},
            input_of(attended_.data(), query_width_), product_mode::add);
    normalise(layer.rest->post_attention_norm);
    feed_forward(layer);
}

/// Only the scored rows need the head; moves them together.
void row_decoder::score(const std::vector<piece>& pieces) {
    const std::int64_t hidden = config_.hidden, vocab = config_.vocab;
    rows_ = 0;
    for (const auto& p : pieces) {
        std::memmove(residual_.data() + rows_ * hidden,
                     residual_.data() + (p.row + std::ssize(p.tokens) - p.scored) * hidden,
                     unsign(p.scored * hidden) * sizeof(float));
        rows_ += p.scored;
    }
    if (rows_ == 0) return;
    normalise(weights_.final_norm);
    const layer_input x = input_of(normed_.data(), hidden);
    // The scored rows of a pass follow one another, and so do their logits.
    pool_.run(blocks_of(vocab, head_task_outputs), [&](std::int64_t task) {
        const std::int64_t first = task * head_task_outputs;
        multiply(head_, x, first, std::min(head_task_outputs, vocab - first), product_mode::set,
                 pieces.front().logits + first, vocab);
    });
}

std::unique_ptr<decoding_pass> make_row_decoder(decoder_weights& weights, bool bfloat16_products,
                                                int threads, std::size_t sequences) {
    return std::make_unique<row_decoder>(weights, bfloat16_products, threads, sequences);
}

}  // namespace cuset
