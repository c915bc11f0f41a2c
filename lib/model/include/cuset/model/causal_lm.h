// A causal language model that scores: the log-probability of every response token given all the
// tokens before it. No Torch header is needed to use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/model/base_part.h"
#include "cuset/model/config.h"

namespace cuset {

class layer_exchange;

/// The type of weights and of the forward pass.
/// - f32: everything in float.
/// - bf16: weights in bfloat16; every product accumulates in float, and norms, softmax, residual
///   sums, logits and log-sum-exp are float. On a processor with bfloat16 instructions the inputs
///   of matrix products are rounded to bfloat16; on one without they stay float (more exact, and
///   faster there than emulation). On a GPU activations are bfloat16 and logits float.
/// - automatic: bf16 if the weights are stored as bfloat16, else f32 (which holds float16 exactly).
enum class compute_type : unsigned char { automatic, f32, bf16 };

/// Which forward pass runs. `automatic` is what compute_type describes: the fused one on a CPU,
/// LibTorch's operators on a GPU. The others force a choice on a CPU, for tests and measurements:
/// the fused pass with either kind of product (bfloat16 ones only if the weights are bf16), or
/// the operators.
enum class forward_path : unsigned char { automatic, float_products, bfloat16_products, operators };

struct model_options {
    compute_type dtype = compute_type::automatic;
    std::string device = "auto";  ///< auto, cpu, cuda or cuda:N; auto takes a GPU if there is one
    std::optional<std::filesystem::path> adapter{};  ///< a LoRA folder as peft writes it
    int threads = 0;                                 ///< 0 = every core this process may use
    forward_path path = forward_path::automatic;
    quantisation quantise = quantisation::none;
    /// Given: the processes of one run share the base, and LibTorch's operators compute, also with
    /// one process alone, whose results have the same bits. On a CPU activations are then float,
    /// and weights in bfloat16 only if the processor multiplies them; products are our own unless
    /// CUSET_PRODUCTS says otherwise, so that all processes compute alike.
    std::optional<base_part> part{};
};

/// One sample. Log-probabilities are wanted for tokens[prompt_length..]. prompt_length must be at
/// least 1: the first token of a text has no prefix, so no probability. A caller without a prompt
/// puts the model's beginning-of-text token there.
struct scoring_request {
    std::span<const std::int32_t> tokens;
    std::size_t prompt_length = 1;
};

/// The result of one request. Either `error` is ok and `log_probability` has tokens.size() -
/// prompt_length finite values (natural logarithm, at most 0), or `error` says why this sample
/// cannot be scored (error_kind::data: no prompt token, a token outside the vocabulary, a result
/// that is not finite) and `log_probability` is empty. No message ends in a newline; the caller
/// puts the record's name before it.
struct scoring_reply {
    std::vector<float> log_probability;
    status error;
};

/// Loads lazily: opening maps the weight files and checks every name, type and shape, and pages
/// are read as the first pass needs them. Files must not change while the model is open.
/// One thread at a time may use an object; the forward pass itself uses model_options::threads.
class causal_lm {
public:
    /// `folder` holds config.json and model.safetensors, or model.safetensors.index.json and its
    /// shards. error_kind::data or io: a malformed or missing file, named. error_kind::unsupported:
    /// an architecture, adapter or device that cannot run here, named. error_kind::usage: a device
    /// that is no device name, another quantisation than the one that the folder is stored in, or a
    /// quantised base that is to be shared.
    static result<causal_lm> load(const std::filesystem::path& folder,
                                  const model_options& options);

    causal_lm(causal_lm&&) noexcept;
    causal_lm& operator=(causal_lm&&) noexcept;
    ~causal_lm();

    const model_config& config() const;

    /// The folder's last component, then ":" and the quantisation if there is one, then "+" and the
    /// adapter's if there is one: the model's name in score records.
    const std::string& name() const;

    /// Where and how it computes, for a log line: "cpu bf16 (float products, avx512, 2 threads)",
    /// and "cpu nf4 in bf16 (…)" if it is quantised.
    const std::string& compute_description() const;

    /// The GPU that computes, or -1: the CPU.
    int device() const;

    /// Tells other weights from these: as tensor_store::fingerprint, of the base and the adapter.
    std::uint64_t fingerprint() const;

    /// What of the model's or the adapter's files is left out or not as their configs have it, in
    /// sentences for the user; mostly none.
    const std::vector<std::string>& notes() const;

    /// The number of tokens that a forward pass needs to run at full speed in bounded memory. A
    /// batch of about this size is good; larger batches are cut into passes of whole samples.
    std::size_t preferred_batch_tokens() const;

    /// Scores a batch: replies[i] answers batch[i]. Samples are packed without padding, and a reply
    /// does not depend on the other samples of the batch (f32: to 2e-5, since products of another
    /// shape add in another order). Memory over the weights is bounded by
    /// max(preferred_batch_tokens(), longest sample); logits exist for a few hundred rows at most.
    /// The returned status is for failures of no single sample: memory or the device.
    status log_probabilities(std::span<const scoring_request> batch,
                             std::vector<scoring_reply>& replies);

    /// With model_options::part of several: from here on layers are gathered so, before the first
    /// batch, until this model is destroyed. log_probabilities() is process 0's; it deals the
    /// passes of a batch out to all processes.
    void share_through(layer_exchange& exchange);
    /// What all others do: compute what process 0 deals out, until its model is destroyed. An error
    /// names a process that is lost.
    status serve();

    class implementation;

private:
    explicit causal_lm(std::unique_ptr<implementation> model);
    std::unique_ptr<implementation> implementation_;
};

}  // namespace cuset
