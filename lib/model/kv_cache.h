// Keys and values of the tokens of several sequences, in blocks of a fixed number of tokens.
// Private to lib/model.
//
// They are kept in float, whatever the weights' type: a bf16 model whose products run in float (the
// only kind row_decoder has) rounds them nowhere else, so a further token sees what recomputing the
// whole sequence would compute. It costs layers · kv_heads · head_dim · 8 bytes a token: 46 KB for
// SmolLM2-135M, 115 KB for Qwen2.5-Coder-7B, twice what bf16 would take.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "row_tasks.h"
#include "weights.h"

namespace cuset {

class kv_cache {
public:
    /// Tokens of a block: 6 MB of SmolLM2's, the most that a sequence takes and does not use.
    static constexpr std::int64_t block_tokens = 128;

    kv_cache(const model_config& config, std::size_t sequences)
        : width_(config.head_dim),
          heads_(config.kv_heads),
          layers_(config.layers),
          blocks_(sequences) {}

    /// Memory for the first `tokens` of a sequence.
    void reserve(std::size_t sequence, std::int64_t tokens) {
        auto& blocks = blocks_[sequence];
        while (std::ssize(blocks) * block_tokens < tokens) blocks.push_back(new_block());
    }

    /// The keys or values of one head for the tokens from block · block_tokens on. Keys are
    /// [head_dim × block_tokens], transposed so that a query's scores need no sums over lanes;
    /// values are [block_tokens × head_dim]. Places that no finished token has filled hold 0 or old
    /// values.
    const float* keys(std::size_t sequence, std::int64_t layer, std::int64_t head,
                      std::int64_t block) const {
        return head_of(sequence, layer, head, block);
    }
    const float* values(std::size_t sequence, std::int64_t layer, std::int64_t head,
                        std::int64_t block) const {
        return head_of(sequence, layer, head, block) + width_ * block_tokens;
    }

    /// Keeps one token's key and value, [kv_heads · head_dim] each, for which there is memory.
    void store(std::size_t sequence, std::int64_t layer, std::int64_t position, const float* key,
               const float* value) {
        const std::int64_t block = position / block_tokens, place = position % block_tokens;
        for (std::int64_t head = 0; head < heads_; ++head, key += width_, value += width_) {
            float* keys = head_of(sequence, layer, head, block);
            for (std::int64_t i = 0; i < width_; ++i) keys[i * block_tokens + place] = key[i];
            std::memcpy(keys + (block_tokens + place) * width_, value,
                        static_cast<std::size_t>(width_) * sizeof(float));
        }
    }

    void clear(std::size_t sequence) { blocks_[sequence] = {}; }

    /// Prepares a sequence for other tokens from the `length`-th on: it no longer shares the block
    /// that they begin in.
    void truncate(std::size_t sequence, std::int64_t length) {
        auto& blocks = blocks_[sequence];
        const std::int64_t kept = (length + block_tokens - 1) / block_tokens;
        if (std::ssize(blocks) > kept) blocks.resize(static_cast<std::size_t>(kept));
        if (length % block_tokens != 0 && blocks.back().use_count() > 1)
            blocks.back() = copy_of(*blocks.back());
    }

    /// Full blocks do not change again until truncate(), so both sequences share them.
    void copy(std::size_t from, std::size_t to, std::int64_t length) {
        const std::int64_t full = length / block_tokens;
        auto copied = blocks_[from];
        copied.resize(static_cast<std::size_t>(full));
        if (length > full * block_tokens)
            copied.push_back(copy_of(*blocks_[from][static_cast<std::size_t>(full)]));
        blocks_[to] = std::move(copied);
    }

private:
    using shared_block = std::shared_ptr<scratch<float>>;

    std::int64_t block_size() const { return 2 * layers_ * heads_ * block_tokens * width_; }
    shared_block new_block() const {
        auto memory = std::make_shared<scratch<float>>();
        std::fill_n(memory->reserve(block_size()), block_size(), 0.0F);
        return memory;
    }
    shared_block copy_of(const scratch<float>& block) const {
        auto memory = std::make_shared<scratch<float>>();
        std::copy_n(block.data(), block_size(), memory->reserve(block_size()));
        return memory;
    }
    float* head_of(std::size_t sequence, std::int64_t layer, std::int64_t head,
                   std::int64_t block) const {
        return blocks_[sequence][static_cast<std::size_t>(block)]->data() +
               2 * (layer * heads_ + head) * block_tokens * width_;
    }

    std::int64_t width_, heads_, layers_;
    std::vector<std::vector<shared_block>> blocks_;  ///< of each sequence
};

}  // namespace cuset
