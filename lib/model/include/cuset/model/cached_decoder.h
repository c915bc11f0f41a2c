// A causal language model that writes: the keys and values of the tokens so far are kept (KV
// cache), so that a further token costs one row. No Torch header is needed to use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/model/causal_lm.h"

namespace cuset {

/// Tokens to append to a sequence, at least one.
struct decoder_input {
    std::size_t sequence = 0;
    std::span<const std::int32_t> tokens;
    std::size_t scored = 1;  ///< how many of them, the last ones, get logits; at least one
};

/// Several sequences of one model, each of its own length. One thread at a time may use an object;
/// the passes themselves use model_options::threads.
class cached_decoder {
public:
    /// Places for `sequences` sequences of at most `max_tokens` tokens each; the cache's memory is
    /// taken as they grow, layers · kv_heads · head_dim · 8 bytes a token on a CPU (46 KB for
    /// SmolLM2-135M), and copies share it. On a GPU, and with forward_path::operators, every
    /// sequence has room for as many tokens as the longest has had, in the type to compute in, so
    /// that one call serves the attention of all. A CPU packs the matrices once, in the weights'
    /// type: a process has a copy of its own. Of bf16 models it rounds what is multiplied by them
    /// to bfloat16 if it has AVX512-BF16 (or, where forward_path asks for it, AMX); sums,
    /// attention, the cache and all else stay float. Errors as causal_lm::load; without such
    /// instructions forward_path::bfloat16_products is unsupported.
    static result<cached_decoder> load(const std::filesystem::path& folder,
                                       const model_options& options, std::size_t sequences,
                                       std::size_t max_tokens);

    cached_decoder(cached_decoder&&) noexcept;
    cached_decoder& operator=(cached_decoder&&) noexcept;
    ~cached_decoder();

    const model_config& config() const;
    const std::string& name() const;                 ///< as causal_lm::name
    const std::string& compute_description() const;  ///< as causal_lm::compute_description
    const std::vector<std::string>& notes() const;   ///< as causal_lm::notes
    int device() const;                              ///< as causal_lm::device
    std::uint64_t fingerprint() const;               ///< as causal_lm::fingerprint

    /// Tokens of a sequence so far.
    std::size_t length(std::size_t sequence) const;
    /// Forgets a sequence's tokens, and on a CPU gives back their memory.
    void clear(std::size_t sequence);
    /// Forgets the tokens of a sequence from the `length`-th on; it has at least as many.
    void truncate(std::size_t sequence, std::size_t length);
    /// Makes `to` a copy of `from`: samples of one prompt read it once.
    status copy(std::size_t from, std::size_t to);

    /// Appends to several sequences, no sequence twice, and writes to `logits` [rows × vocab],
    /// row-major, in float, the logits after the last `scored` tokens of each. On a CPU a row is
    /// the same, bit for bit, whatever else is in the call, whatever place the sequence has,
    /// however many threads there are, and however the sequence's tokens were divided into calls.
    /// On a GPU, and with forward_path::operators, to rounding (f32: 1e-4). Logits that are not
    /// finite are handed on. A data error (nothing appended): a token outside the vocabulary, no
    /// token, a sequence that would be longer than max_tokens, one that is named twice or is not
    /// there, more scored tokens than there are or none, logits of another size. Other errors:
    /// memory or device; the sequences keep the tokens they had.
    status append(std::span<const decoder_input> inputs, std::span<float> logits);

    /// With model_options::part of several: as causal_lm::share_through. What process 0 is asked
    /// for, all processes compute, and its logits are those of one process, bit for bit on a CPU.
    void share_through(layer_exchange& exchange);
    /// As causal_lm::serve: of all processes but the first. It has no other use for the decoder.
    status serve();

    class implementation;

private:
    explicit cached_decoder(std::unique_ptr<implementation> decoder);
    std::unique_ptr<implementation> implementation_;
};

}  // namespace cuset
