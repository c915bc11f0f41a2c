// What a pass that appends to cached sequences takes and gives, whichever way it runs. Private to
// lib/model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "weights.h"

namespace cuset {

class sharded_layers;

/// Tokens for one sequence, checked: at least one, all in the vocabulary.
struct decoding_step {
    std::size_t sequence;
    std::int64_t past;  ///< how many tokens it has
    std::span<const std::int32_t> tokens;
    std::int64_t scored;  ///< the last ones, whose logits are wanted
};

/// Keeps what attention needs of the tokens so far; how many they are, its caller knows. May throw
/// what LibTorch or an allocation throws; a sequence's first `past` tokens stay sound then.
class decoding_pass {
public:
    virtual ~decoding_pass() = default;
    /// `logits` [rows × vocab]: after the scored tokens of each step. No sequence comes twice.
    virtual void append(std::span<const decoding_step> steps, std::span<float> logits) = 0;
    virtual void clear(std::size_t sequence) = 0;
    /// Prepares a sequence for other tokens from the `length`-th on.
    virtual void truncate(std::size_t sequence, std::int64_t length) = 0;
    /// Makes `to` the first `length` tokens of `from`, all that it has.
    virtual void copy(std::size_t from, std::size_t to, std::int64_t length) = 0;
};

/// The CPU pass with kernels of its own. It packs the matrices and releases them: of `weights`,
/// which must outlive it, only the rest may be used then. With `bfloat16_products`, what is
/// multiplied by matrices of bfloat16 is rounded to it.
std::unique_ptr<decoding_pass> make_row_decoder(decoder_weights& weights, bool bfloat16_products,
                                                int threads, std::size_t sequences);

/// The pass in LibTorch's operators, as make_torch_forward.
std::unique_ptr<decoding_pass> make_torch_decoding(const decoder_weights& weights, bool bfloat16,
                                                   int device_index, std::size_t sequences);

/// The same for a base that processes share, with the layers that shared_layers() gives: all
/// processes must append equally often. Null layers are those of one process alone.
std::unique_ptr<decoding_pass> make_shared_decoding(const decoder_weights& weights, bool bfloat16,
                                                    int device_index, std::size_t sequences,
                                                    std::shared_ptr<sharded_layers> layers);

}  // namespace cuset
