// A decoder whose forward pass can be differentiated: a frozen base with a LoRA adapter, or all of
// its weights. The head and the loss are lib/train's: what comes out are the hidden rows that
// predict response tokens.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/model/causal_lm.h"
#include "cuset/model/config.h"
#include "cuset/model/safetensors.h"

namespace cuset {

/// An adapter on every linear layer but the head: y += alpha / rank · B·A·dropout(x), A [rank × in]
/// and B [out × rank] in float.
struct lora_options {
    std::int64_t rank = 8;
    double alpha = 16;
    double dropout = 0.05;  ///< in [0, 1); of the adapter's input, in training only
};

struct training_model_options {
    /// f32, or bf16: the base in bfloat16 (a full fine-tuning keeps its weights in float).
    /// On a CPU activations are float either way, and so are products where the processor has no
    /// bfloat16 instructions, with the weights as they are after rounding.
    compute_type dtype = compute_type::automatic;
    std::string device = "auto";
    int threads = 0;
    std::optional<lora_options> lora = lora_options{};  ///< none: every weight is trained
    /// A peft adapter to start from; its rank and alpha replace those of `lora`. Without one,
    /// A ~ U(±1/√in) by `seed` and B = 0.
    std::optional<std::filesystem::path> init_adapter{};
    std::uint64_t seed = 42;
    /// Keeps only each layer's input of the forward pass, and computes the rest again on the way
    /// back: a third more work for about a tenth of the memory.
    bool recompute = false;
};

/// One sample: log-probabilities of tokens[prompt_length..] are wanted, so rows prompt_length - 1 …
/// size - 2 come out. prompt_length ≥ 1 and < tokens.size(); tokens lie in the vocabulary.
struct training_sample {
    std::span<const std::int32_t> tokens;
    std::size_t prompt_length = 1;
    std::uint64_t dropout_key = 0;  ///< equal keys make equal masks, whatever else is in the batch
};

enum class pass_kind : unsigned char {
    training,    ///< dropout on, differentiable
    evaluation,  ///< dropout off, not differentiable
    reference,   ///< as evaluation, without the adapter
};

struct trainable_parameter {
    std::string name;  ///< of the tensor in peft's file (LoRA) or in the checkpoint's (full)
    at::Tensor value;  ///< float leaf; its gradient is value.grad()
    element_type stored = element_type::f32;  ///< what save() writes it as
};

/// One thread at a time may use an object. Functions that return a status catch what LibTorch
/// throws; those that return tensors may throw it.
class trainable_decoder {
public:
    /// Errors as causal_lm::load; also error_kind::usage for LoRA options out of range.
    static result<trainable_decoder> load(const std::filesystem::path& folder,
                                          const training_model_options& options);

    trainable_decoder(trainable_decoder&&) noexcept;
    trainable_decoder& operator=(trainable_decoder&&) noexcept;
    ~trainable_decoder();

    const std::filesystem::path& folder() const;  ///< it was loaded from
    std::string name() const;                     ///< of that folder
    const model_config& config() const;
    const std::string& compute_description() const;
    /// Tells the checkpoint it was loaded from from others: a hash of all tensors' names, types and
    /// shapes and of a sample of each one's bytes.
    std::uint64_t fingerprint() const;
    const std::optional<lora_options>& lora() const;  ///< as trained: after init_adapter
    at::Device device() const;
    bool recomputes() const;            ///< as training_model_options::recompute
    bool weights_are_bfloat16() const;  ///< what training_model_options::dtype came to
    bool activations_are_half() const;  ///< bfloat16 ones, on a GPU
    double weight_bytes() const;        ///< of all weights as they are used

    /// What is trained, in a fixed order: layer by layer.
    const std::vector<trainable_parameter>& parameters() const;

    /// [vocab × hidden], float or bfloat16; requires a gradient in full fine-tuning.
    const at::Tensor& head() const;

    /// The rows that predict response tokens after the final norm, sample after sample:
    /// [Σ (size - prompt_length) × hidden]. Samples are packed without padding and do not see each
    /// other.
    at::Tensor hidden_rows(std::span<const training_sample> batch, pass_kind kind) const;

    /// Writes adapter_config.json and adapter_model.safetensors as peft does into the existing
    /// `folder`, with folder() as the base model's name; in a full fine-tuning model.safetensors,
    /// each weight in the type it was stored in, and the base's config, tokenizer and template
    /// files. Each file appears whole; that all of them appear at once is the caller's part.
    status save(const std::filesystem::path& folder) const;

    class implementation;

private:
    explicit trainable_decoder(std::unique_ptr<implementation> model);
    std::unique_ptr<implementation> implementation_;
};

}  // namespace cuset
