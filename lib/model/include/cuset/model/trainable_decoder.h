// A decoder with a differentiable forward pass: a frozen base with a LoRA adapter, or all weights
// trained. It returns the hidden rows that predict response tokens; the head and the loss are
// lib/train's.
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
#include "cuset/model/layer_exchange.h"
#include "cuset/model/product_choice.h"
#include "cuset/model/safetensors.h"

namespace cuset {

/// An adapter on linear layers: y += s · B·A·dropout(x), with A [rank × in] and B [out × rank] in
/// float and s = alpha / rank, or alpha / √rank (rsLoRA, arXiv 2312.03732).
struct lora_options {
    std::int64_t rank = 8;
    double alpha = 16;
    double dropout = 0.05;  ///< in [0, 1); on the adapter's input, in training only
    /// Names of linear layers as peft's target_modules has them ("q_proj"), those of every decoder
    /// layer; empty: all but the head. After init_adapter whole names
    /// ("model.layers.3.mlp.up_proj") where it does not have the same ones in every decoder layer.
    std::vector<std::string> targets{};
    bool rank_stabilised = false;
};

/// The names that lora_options::targets may have: q_proj and so on, in the order of a decoder
/// layer.
std::vector<std::string> linear_layer_names();

struct training_model_options {
    /// f32, or bf16: the base in bfloat16 (full fine-tuning keeps its weights in float). On a CPU
    /// activations are float in both cases. If the processor has no bfloat16 instructions, products
    /// are float too, of the rounded weights.
    compute_type dtype = compute_type::automatic;
    std::string device = "auto";
    int threads = 0;
    std::optional<lora_options> lora = lora_options{};  ///< none: every weight is trained
    /// A peft adapter to start from; its rank, alpha, scaling and layers replace those of `lora`.
    /// Without one, A ~ U(±1/√in) by `seed` and B = 0.
    std::optional<std::filesystem::path> init_adapter{};
    /// Takes an init_adapter with several ranks or alphas too, which cannot be trained or saved.
    bool only_evaluates = false;
    std::uint64_t seed = 42;
    /// Keeps only each layer's input of the forward pass, and computes the rest again in the
    /// backward pass: a third more work for about a tenth of the memory.
    bool recompute = false;
    /// As model_options::quantise, of the base under an adapter. A matrix is there while it is
    /// multiplied by, forward and again backward.
    quantisation quantise = quantisation::none;
    /// The part of the frozen base's linear layers that this process keeps: a layer is gathered
    /// when it is computed, forward and again backward (gather_through()). Of one part there is
    /// nothing to share. Weights that are stored in another type than that of `dtype` are converted
    /// first, all of them.
    base_part part{};
    /// Who computes products on a CPU: the choice of the run that goes on (product_choice.h).
    std::optional<product_choice> products{};
};

/// One sample. It asks for the log-probabilities of tokens[prompt_length..], so the result has the
/// rows prompt_length - 1 … size - 2. prompt_length ≥ 1 and < tokens.size(); tokens lie in the
/// vocabulary.
struct training_sample {
    std::span<const std::int32_t> tokens;
    std::size_t prompt_length = 1;
    std::uint64_t dropout_key = 0;  ///< equal keys make equal masks in any batch
};

enum class pass_kind : unsigned char {
    training,    ///< dropout on, differentiable
    evaluation,  ///< dropout off, not differentiable
    reference,   ///< as evaluation, without the adapter
};

struct trainable_parameter {
    std::string name;  ///< the tensor's in peft's file (LoRA) or in the checkpoint's (full)
    at::Tensor value;  ///< float leaf; its gradient is value.grad()
    element_type stored = element_type::f32;  ///< the type in which save() writes it
};

/// Only one thread at a time may use an object. Functions that return a status catch LibTorch's
/// exceptions; those that return tensors may throw them.
class trainable_decoder {
public:
    /// Errors as causal_lm::load; also error_kind::usage for LoRA options out of range, for a full
    /// fine-tuning that is quantised or shares its weights, and for a quantised base that is
    /// shared.
    static result<trainable_decoder> load(const std::filesystem::path& folder,
                                          const training_model_options& options);

    trainable_decoder(trainable_decoder&&) noexcept;
    trainable_decoder& operator=(trainable_decoder&&) noexcept;
    ~trainable_decoder();

    const std::filesystem::path& folder() const;  ///< of the loaded checkpoint
    std::string name() const;                     ///< that folder's
    const model_config& config() const;
    const std::string& compute_description() const;
    const std::vector<std::string>& notes() const;  ///< as causal_lm::notes
    /// Identifies the loaded checkpoint: a hash of all tensors' names, types and shapes and of a
    /// sample of each tensor's bytes.
    std::uint64_t fingerprint() const;
    const std::optional<lora_options>& lora() const;  ///< as trained, so after init_adapter
    at::Device device() const;
    bool recomputes() const;            ///< as training_model_options::recompute
    quantisation quantised() const;     ///< as training_model_options::quantise, or as it is stored
    bool weights_are_bfloat16() const;  ///< the outcome of training_model_options::dtype
    bool activations_are_half() const;  ///< bfloat16 ones, on a GPU
    /// Of all weights that are here, in the types in use; of a quantised base its codes, of a
    /// shared one this process's part and the room for two layers.
    double weight_bytes() const;
    /// Of the largest matrix while it is dequantised, and packed on a CPU; 0 where none are.
    double dequantised_bytes() const;

    /// Whether other processes have parts of the base. Then each pass is an exchange: all processes
    /// run the same kinds of passes in the same order, a training pass with its backward pass.
    bool shares_base() const;
    /// Says how to exchange layers, before the first pass; `exchange` must live until the last one.
    void gather_through(layer_exchange& exchange);
    /// Does the exchanges of a pass, forward and backward, without computing anything: for a
    /// process that has no samples left while others have. Throws as hidden_rows() does.
    void take_part(pass_kind kind) const;
    shared_base_figures shared_base() const;  ///< zeros where it is not shared

    /// The trained parameters in a fixed order: layer by layer.
    const std::vector<trainable_parameter>& parameters() const;

    /// [vocab × hidden], float or bfloat16; requires a gradient in full fine-tuning.
    const at::Tensor& head() const;

    /// The rows that predict response tokens after the final norm, sample after sample: [Σ (size -
    /// prompt_length) × hidden]. Samples are packed without padding and do not attend to each
    /// other. Throws failed_exchange, in the backward pass too, if a process that shares the base
    /// is lost.
    at::Tensor hidden_rows(std::span<const training_sample> batch, pass_kind kind) const;

    /// Writes into the existing `folder`. For LoRA these are adapter_config.json and
    /// adapter_model.safetensors as peft writes them, with folder() as the base model's name; for
    /// full fine-tuning model.safetensors, with each weight in its stored type, and the base's
    /// config, tokenizer and template files. Each file appears whole; the caller must make them
    /// appear all at once.
    status save(const std::filesystem::path& folder) const;

    class implementation;

private:
    explicit trainable_decoder(std::unique_ptr<implementation> model);
    std::unique_ptr<implementation> implementation_;
};

}  // namespace cuset
