// Appends to cached sequences with the decoder in LibTorch's operators: on a GPU, and on a CPU for
// tests.
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scaled_dot_product_attention.h>

#include <algorithm>

#include "cuset/model/float_product.h"
#include "decoding_pass.h"
#include "torch_decoder.h"

namespace cuset {

namespace {

/// Most rows of a pass: a prompt's activations stay small compared with the cache.
constexpr std::int64_t most_rows = 2048;

class torch_decoding final : public decoding_pass {
public:
    torch_decoding(torch_decoder decoder, std::size_t sequences)
        : decoder_(std::move(decoder)), caches_(sequences) {}

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

    void clear(std::size_t sequence) override { caches_[sequence] = {}; }

    void truncate(std::size_t, std::int64_t) override {}  // later tokens overwrite the memory

    void copy(std::size_t from, std::size_t to, std::int64_t length) override {
        const c10::InferenceMode inference;
        std::vector<layer_cache> copied;
        if (length == 0) return clear(to);
        for (const auto& layer : caches_[from]) {
            copied.push_back(
                {layer.key.narrow(1, 0, length).clone(), layer.value.narrow(1, 0, length).clone()});
        }
        caches_[to] = std::move(copied);
    }

private:
    /// Consecutive tokens of one sequence: rows [row, row + tokens.size()) of a pass.
    struct piece {
        std::size_t sequence;
        std::int64_t position;  ///< of the first token
        std::span<const std::int32_t> tokens;
        std::int64_t row;
    };
    /// [kv_heads × room × head_dim]; the first tokens are in use.
    struct layer_cache {
        at::Tensor key, value;
    };

    /// Writes the logits of the rows `scored` to `to`; returns the position after them.
    float* run_pass(const std::vector<piece>& pieces, const std::vector<std::int64_t>& scored,
                    float* to) {
        std::vector<std::int32_t> tokens;
        std::vector<torch_decoder::piece> positions;
        for (const auto& p : pieces) {
            tokens.insert(tokens.end(), p.tokens.begin(), p.tokens.end());
            positions.push_back({p.position, std::ssize(p.tokens)});
            caches_[p.sequence].resize(decoder_.layers.size());
        }
        const auto rows = std::make_shared<pass_rows>();
        rows->angles = decoder_.angles_of(positions);
        rows->attend = [&](std::size_t layer, const at::Tensor& query, const at::Tensor& key,
                           const at::Tensor& value) {
            std::vector<at::Tensor> outputs;
            for (const auto& p : pieces) outputs.push_back(attended(p, layer, query, key, value));
            return at::cat(outputs);
        };
        const at::Tensor hidden = decoder_.hidden_rows(tokens, scored, rows);
        if (scored.empty()) return to;
        const at::Tensor logits =
            float_product(hidden, decoder_.head, true).to(at::kCPU).contiguous();
        return std::copy_n(logits.const_data_ptr<float>(), logits.numel(), to);
    }

    /// Writes rows [rows × kv_heads × head_dim] to positions first, first + 1, … and returns all up
    /// to them, [1 × kv_heads × tokens × head_dim]. The room doubles when it grows, so a sequence
    /// is copied only a few times.
    static at::Tensor store(at::Tensor& cache, std::int64_t first, const at::Tensor& rows) {
        const std::int64_t count = rows.size(0), end = first + count;
        if (!cache.defined() || cache.size(1) < end) {
            const std::int64_t before = cache.defined() ? cache.size(1) : 0;
            const at::Tensor grown = at::empty(
                {rows.size(1), std::max({end, 2 * before, std::int64_t{64}}), rows.size(2)},
                rows.options());
            if (first > 0) grown.narrow(1, 0, first).copy_(cache.narrow(1, 0, first));
            cache = grown;
        }
        cache.narrow(1, first, count).copy_(rows.transpose(0, 1));
        return cache.narrow(1, 0, end).unsqueeze(0);
    }

    /// The attention of a piece's rows to its sequence's tokens up to their own.
    at::Tensor attended(const piece& p, std::size_t layer, const at::Tensor& queries,
                        const at::Tensor& keys, const at::Tensor& values) {
        const std::int64_t count = std::ssize(p.tokens);
        auto& cache = caches_[p.sequence][layer];
        const at::Tensor key = store(cache.key, p.position, keys.narrow(0, p.row, count));
        const at::Tensor value = store(cache.value, p.position, values.narrow(0, p.row, count));
        const at::Tensor query = queries.narrow(0, p.row, count).transpose(0, 1).unsqueeze(0);
        // is_causal aligns the first query with the first key, which is right only without a past.
        // A single query may see every key.
        const bool causal = p.position == 0 && count > 1;
        std::optional<at::Tensor> mask;
        if (p.position > 0 && count > 1) {
            mask = at::ones({count, p.position + count}, queries.options().dtype(at::kBool))
                       .tril(p.position);
        }
        return at::scaled_dot_product_attention(query, key, value, mask, 0.0, causal, {},
                                                queries.size(1) != keys.size(1))
            .squeeze(0)
            .transpose(0, 1)
            .reshape({count, queries.size(1) * queries.size(2)});
    }

    torch_decoder decoder_;
    std::vector<std::vector<layer_cache>> caches_;  ///< for each sequence, its layers
};

}  // namespace

std::unique_ptr<decoding_pass> make_torch_decoding(const decoder_weights& weights, bool bfloat16,
                                                   int device_index, std::size_t sequences) {
    const c10::InferenceMode inference;
    return std::make_unique<torch_decoding>(
        torch_decoder(weights, inference_placement(bfloat16, device_index)), sequences);
}

}  // namespace cuset
