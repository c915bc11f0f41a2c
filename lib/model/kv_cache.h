// Keys and values of the tokens of several sequences, in blocks of a fixed number of tokens.
// Private to lib/model.
//
// They are kept in float, whatever the weights' type: a bf16 model whose products run in float (the
// only kind row_decoder has) rounds them nowhere else, so a further token sees what recomputing the
// whole sequence would compute. It costs layers · kv_heads · head_dim · 8 bytes a token: 46 KB for
// SmolLM2-135M, 115 KB for Qwen2.5-Coder-7B, twice what bf16 would take.
#pragma once

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
        : width_(config.kv_heads * config.head_dim), layers_(config.layers), blocks_(sequences) {}

    /// Memory for the first `tokens` of a sequence.
    void reserve(std::size_t sequence, std::int64_t tokens) {
        auto& blocks = blocks_[sequence];
        while (std::ssize(blocks) * block_tokens < tokens) blocks.push_back(new_block());
    }

    /// [block_tokens × kv_heads · head_dim] of one layer: token block · block_tokens and on.
    float* keys(std::size_t sequence, std::int64_t layer, std::int64_t block) const {
        return blocks_[sequence][static_cast<std::size_t>(block)]->data() +
               2 * layer * block_tokens * width_;
    }
    float* values(std::size_t sequence, std::int64_t layer, std::int64_t block) const {
        return keys(sequence, layer, block) + block_tokens * width_;
    }

    void clear(std::size_t sequence) { blocks_[sequence] = {}; }

    /// Full blocks never change again, so the two share them.
    void copy(std::size_t from, std::size_t to, std::int64_t length) {
        const std::int64_t full = length / block_tokens;
        auto copied = blocks_[from];
        copied.resize(static_cast<std::size_t>(full));
        if (length > full * block_tokens) {
            copied.push_back(new_block());
            std::memcpy(copied.back()->data(),
                        blocks_[from][static_cast<std::size_t>(full)]->data(),
                        static_cast<std::size_t>(block_size()) * sizeof(float));
        }
        blocks_[to] = std::move(copied);
    }

private:
    using shared_block = std::shared_ptr<scratch<float>>;

    std::int64_t block_size() const { return 2 * layers_ * block_tokens * width_; }
    shared_block new_block() const {
        auto memory = std::make_shared<scratch<float>>();
        memory->reserve(block_size());
        return memory;
    }

    std::int64_t width_, layers_;
    std::vector<std::vector<shared_block>> blocks_;  ///< of each sequence
};

}  // namespace cuset
