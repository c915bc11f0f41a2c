// Appends to cached sequences with the decoder in LibTorch's operators: on a GPU, and on a CPU for
// a base that processes share and for tests.
#include <ATen/TensorIndexing.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <limits>

#include "cuset/model/device_kernels.h"
#include "cuset/model/float_product.h"
#include "decoding_pass.h"
#include "torch_decoder.h"

namespace cuset {

namespace {

/// Most rows of a pass: a prompt's activations stay small compared with the cache.
constexpr std::int64_t most_rows = 2048;
/// Most tokens of a sequence whose attention shares a call with that of other sequences, all padded
/// to the one with the most. A decoding step has one, and its guesses.
constexpr std::int64_t most_together = 8;
/// The cache grows by this share, in steps of so many tokens.
constexpr double growth = 1.25;
constexpr std::int64_t room_step = 64;

std::int64_t rounded_up(std::int64_t value, std::int64_t step) {
    return (value + step - 1) / step * step;
}

class torch_decoding final : public decoding_pass {
public:
    torch_decoding(torch_decoder decoder, std::size_t sequences)
        : decoder_(std::move(decoder)),
          sequences_(static_cast<std::int64_t>(sequences)),
          caches_(decoder_.layers.size()) {}

    void append(std::span<const decoding_step> steps, std::span<float> logits) override {
        const c10::InferenceMode inference;
        std::vector<piece> pieces;
        std::vector<std::int64_t> scored;
        std::int64_t rows = 0;
        float* to = logits.data();
        const auto flush = [&] {
            if (!pieces.empty()) to = run_pass(pieces, scored, to);
            pieces.clear();
            scored.clear();
            rows = 0;
        };
        for (const auto& step : steps) {
            for (std::int64_t done = 0; done < std::ssize(step.tokens);) {
                const std::int64_t count =
                    std::min(std::ssize(step.tokens) - done, most_rows - rows);
                pieces.push_back({step.sequence, step.past + done,
                                  step.tokens.subspan(static_cast<std::size_t>(done),
                                                      static_cast<std::size_t>(count)),
                                  rows});
                const std::int64_t first_scored = std::ssize(step.tokens) - step.scored;
                for (std::int64_t i = std::max(done, first_scored); i < done + count; ++i)
                    scored.push_back(rows + i - done);
                done += count;
                rows += count;
                if (rows == most_rows) flush();
            }
        }
        flush();
    }

    // Later tokens overwrite the memory.
    void clear(std::size_t) override {}
    void truncate(std::size_t, std::int64_t) override {}

    void copy(std::size_t from, std::size_t to, std::int64_t length) override {
        const c10::InferenceMode inference;
        if (length == 0) return;
        for (const auto& layer : caches_) {
            for (const at::Tensor& all : {layer.key, layer.value})
                of_sequence(all, to, length).copy_(of_sequence(all, from, length));
        }
    }

private:
    /// Consecutive tokens of one sequence: rows [row, row + tokens.size()) of a pass.
    struct piece {
        std::size_t sequence;
        std::int64_t position;  ///< of the first token
        std::span<const std::int32_t> tokens;
        std::int64_t row;
    };
    /// [sequences × kv_heads × room × head_dim], of which a sequence's first tokens are in use.
    /// What is not is finite, since attention multiplies what a mask excludes by 0.
    struct layer_cache {
        at::Tensor key, value;
    };
    /// The attention of all pieces in one call: sequences first, first + 1, … with `queries` rows
    /// each, some of which stand for none.
    struct shared_call {
        std::int64_t first, sequences, queries, keys;
        at::Tensor row_of;  ///< [sequences · queries]: a row of the pass
        at::Tensor at;      ///< [rows]: its place among these
        at::Tensor bias;    ///< [sequences × 1 × group · queries × keys]: 0, or -infinity
    };

    static at::Tensor of_sequence(const at::Tensor& cache, std::size_t sequence,
                                  std::int64_t tokens) {
        return cache.select(0, static_cast<std::int64_t>(sequence)).narrow(1, 0, tokens);
    }

    at::Tensor on_device(const std::vector<std::int64_t>& values) const {
        return uploaded(values, decoder_.placement.device);
    }

    /// Writes the logits of the rows `scored` to `to`; returns the position after them.
    float* run_pass(const std::vector<piece>& pieces, const std::vector<std::int64_t>& scored,
                    float* to) {
        std::vector<std::int32_t> tokens;
        std::vector<torch_decoder::piece> positions;
        std::vector<std::int64_t> sequence_of, position_of;  // of each row
        std::int64_t longest = 0, most = 0;
        for (const auto& p : pieces) {
            const std::int64_t count = std::ssize(p.tokens);
            tokens.insert(tokens.end(), p.tokens.begin(), p.tokens.end());
            positions.push_back({p.position, count});
            for (std::int64_t i = 0; i < count; ++i) {
                sequence_of.push_back(static_cast<std::int64_t>(p.sequence));
                position_of.push_back(p.position + i);
            }
            longest = std::max(longest, p.position + count);
            most = std::max(most, count);
        }
        const at::Tensor sequences = on_device(sequence_of), places = on_device(position_of);
        std::optional<shared_call> shared;
        if (pieces.size() > 1 && most <= most_together) shared = shared_by(pieces, longest, most);
        const auto rows = std::make_shared<pass_rows>();
        rows->angles = decoder_.angles_of(positions);
        rows->attend = [&](std::size_t layer, const at::Tensor& query, const at::Tensor& key,
                           const at::Tensor& value) {
            layer_cache& cache = caches_[layer];
            store(cache.key, sequences, places, longest, key);
            store(cache.value, sequences, places, longest, value);
            if (shared) return attended_together(*shared, cache, query);
            std::vector<at::Tensor> outputs;
            for (const auto& p : pieces) outputs.push_back(attended(p, cache, query));
            return at::cat(outputs);
        };
        const at::Tensor hidden = decoder_.hidden_rows(tokens, scored, rows);
        if (scored.empty()) return to;
        const at::Tensor logits = float_product(hidden, decoder_.head, true);
        at::from_blob(to, logits.sizes(), at::kFloat).copy_(logits);
        return to + logits.numel();
    }

    /// Writes rows [rows × kv_heads × head_dim] to their sequences and places.
    void store(at::Tensor& cache, const at::Tensor& sequences, const at::Tensor& places,
               std::int64_t longest, const at::Tensor& rows) const {
        const std::int64_t room = cache.defined() ? cache.size(2) : 0;
        if (room < longest) {
            const auto more = static_cast<std::int64_t>(growth * static_cast<double>(room));
            const at::Tensor grown =
                at::zeros({sequences_, rows.size(1), rounded_up(std::max(longest, more), room_step),
                           rows.size(2)},
                          rows.options());
            if (room > 0) grown.narrow(2, 0, room).copy_(cache);
            cache = grown;
        }
        cache.index_put_({sequences, at::indexing::Slice(), places}, rows);
    }

    /// The attention of a piece's rows to its sequence's tokens up to their own.
    static at::Tensor attended(const piece& p, const layer_cache& cache,
                               const at::Tensor& queries) {
        const std::int64_t count = std::ssize(p.tokens), end = p.position + count;
        const at::Tensor key = of_sequence(cache.key, p.sequence, end).unsqueeze(0);
        const at::Tensor value = of_sequence(cache.value, p.sequence, end).unsqueeze(0);
        const at::Tensor query = queries.narrow(0, p.row, count).transpose(0, 1).unsqueeze(0);
        // is_causal aligns the first query with the first key, which is right only without a past.
        // A single query may see every key.
        const bool causal = p.position == 0 && count > 1;
        std::optional<at::Tensor> mask;
        if (p.position > 0 && count > 1) {
            mask = at::ones({count, end}, queries.options().dtype(at::kBool)).tril(p.position);
        }
        return at::scaled_dot_product_attention(query, key, value, mask, 0.0, causal, {},
                                                queries.size(1) != key.size(1))
            .squeeze(0)
            .transpose(0, 1)
            .reshape({count, queries.size(1) * queries.size(2)});
    }

    shared_call shared_by(const std::vector<piece>& pieces, std::int64_t longest,
                          std::int64_t most) const {
        const auto [least, last] = std::minmax_element(
            pieces.begin(), pieces.end(),
            [](const piece& a, const piece& b) { return a.sequence < b.sequence; });
        shared_call call;
        call.first = static_cast<std::int64_t>(least->sequence);
        call.sequences = static_cast<std::int64_t>(last->sequence - least->sequence) + 1;
        call.queries = most;
        // The kernels of attention want rows of a mask that begin at multiples of 16 bytes.
        call.keys = rounded_up(longest, 8);
        const auto slots = static_cast<std::size_t>(call.sequences * call.queries);
        // What stands for no row attends to the sequence's first key.
        std::vector<std::int64_t> row_of(slots), last_key(slots), at;
        for (const auto& p : pieces) {
            const std::int64_t from =
                (static_cast<std::int64_t>(p.sequence) - call.first) * call.queries;
            for (std::int64_t i = 0; i < std::ssize(p.tokens); ++i) {
                row_of[static_cast<std::size_t>(from + i)] = p.row + i;
                last_key[static_cast<std::size_t>(from + i)] = p.position + i;
                at.push_back(from + i);
            }
        }
        call.row_of = on_device(row_of);
        call.at = on_device(at);
        const std::int64_t group = decoder_.config.heads / decoder_.config.kv_heads;
        const at::Tensor key = at::arange(call.keys, call.row_of.options());
        const at::Tensor hidden = key > on_device(last_key).unsqueeze(1);
        call.bias =
            at::zeros(hidden.sizes(), hidden.options().dtype(decoder_.placement.activations))
                .masked_fill_(hidden, -std::numeric_limits<double>::infinity())
                .view({call.sequences, 1, call.queries, call.keys})
                .expand({-1, group, -1, -1})
                .reshape({call.sequences, 1, group * call.queries, call.keys});
        return call;
    }

    /// The heads that share keys and values are rows of one query, so that no kernel has to know of
    /// them, and none copies the keys.
    at::Tensor attended_together(const shared_call& call, const layer_cache& cache,
                                 const at::Tensor& queries) const {
        const std::int64_t heads = queries.size(1), width = queries.size(2);
        const std::int64_t kv_heads = cache.key.size(1), group = heads / kv_heads;
        const auto part = [&](const at::Tensor& all) {
            return all.narrow(0, call.first, call.sequences).narrow(2, 0, call.keys);
        };
        const at::Tensor query = queries.index_select(0, call.row_of)
                                     .view({call.sequences, call.queries, kv_heads, group, width})
                                     .permute({0, 2, 3, 1, 4})
                                     .reshape({call.sequences, kv_heads, -1, width});
        return at::scaled_dot_product_attention(query, part(cache.key), part(cache.value),
                                                call.bias)
            .view({call.sequences, kv_heads, group, call.queries, width})
            .permute({0, 3, 1, 2, 4})
            .reshape({call.sequences * call.queries, heads * width})
            .index_select(0, call.at);
    }

    torch_decoder decoder_;
    std::int64_t sequences_;
    std::vector<layer_cache> caches_;  ///< of each layer
};

}  // namespace

std::unique_ptr<decoding_pass> make_torch_decoding(const decoder_weights& weights, bool bfloat16,
                                                   int device_index, std::size_t sequences) {
    const c10::InferenceMode inference;
    return std::make_unique<torch_decoding>(
        torch_decoder(weights, inference_placement(bfloat16, device_index)), sequences);
}

std::unique_ptr<decoding_pass> make_shared_decoding(const decoder_weights& weights, bool bfloat16,
                                                    int device_index, std::size_t sequences,
                                                    std::shared_ptr<sharded_layers> layers) {
    const c10::InferenceMode inference;
    return std::make_unique<torch_decoding>(
        torch_decoder(weights, shared_placement(bfloat16, device_index), std::move(layers)),
        sequences);
}

}  // namespace cuset
