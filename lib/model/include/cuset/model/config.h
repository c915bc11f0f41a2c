// config.json of a Hugging Face folder, reduced to what a decoder-only forward pass needs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "cuset/base/status.h"

namespace cuset {

enum class architecture : unsigned char { llama, qwen2, qwen3 };

/// How rotary frequencies are derived from `theta`. Any other `rope_type` is refused by name.
enum class rope_kind : unsigned char {
    plain,   ///< θ^(-2i/d)
    linear,  ///< the same, divided by `factor` (DeepSeek-Coder-6.7B: 4)
    llama3,  ///< Llama 3.1: long wavelengths divided by `factor`, short ones kept, a ramp between
};

/// In how many bits the linear layers of the decoder are kept: as the type says, or quantised (nf4:
/// 4 bits in blocks of 64 with double quantisation; int8: 8 bits with a scale for each row; both as
/// bitsandbytes does). They are quantised when they are read, or the file has their codes (nf4
/// alone, with double quantisation or without), which stay as they are. The computation is that of
/// a model whose layers hold the dequantised values, rounded to the type. Embeddings, head, norms
/// and biases stay, and what an adapter holds whole.
enum class quantisation : unsigned char { none, nf4, int8 };

/// "nf4" or "int8"; empty for none.
std::string_view name_of(quantisation kind);

struct rope_config {
    rope_kind kind = rope_kind::plain;
    double theta = 10000.0;
    double factor = 1.0;
    double low_freq_factor = 1.0;        ///< llama3 only
    double high_freq_factor = 4.0;       ///< llama3 only
    double original_positions = 8192.0;  ///< llama3 only
};

/// A supported model. Every count is positive and heads is a multiple of kv_heads.
struct model_config {
    architecture arch = architecture::llama;
    std::int64_t layers = 0;
    std::int64_t hidden = 0;
    std::int64_t intermediate = 0;
    std::int64_t heads = 0;
    std::int64_t kv_heads = 0;
    std::int64_t head_dim = 0;  ///< even; hidden / heads unless the file has another
    std::int64_t vocab = 0;
    std::int64_t max_positions = 0;  ///< max_position_embeddings; longer inputs are not refused
    double norm_epsilon = 1e-6;
    rope_config rope;
    /// The head is the embedding matrix. A loaded model whose file has another lm_head.weight has
    /// this false, whatever its config.json says.
    bool tied_embeddings = false;
    bool qkv_bias = false;
    bool output_bias = false;  ///< on o_proj
    bool mlp_bias = false;
    bool qk_norm = false;  ///< RMSNorm over head_dim on queries and keys, before RoPE (Qwen3)
    std::optional<std::string> stored_type;  ///< "bfloat16", "float16", "float32" if it says so
    /// What quantization_config says that linear layers are stored in: nf4 or none.
    quantisation stored_quantisation = quantisation::none;
};

/// Reads the text of a config.json, in the style of transformers 4 (rope_theta, rope_scaling) or 5
/// (rope_parameters). error_kind::data if it is malformed; error_kind::unsupported, naming the
/// field and its value, for anything this library would have to approximate.
result<model_config> parse_model_config(std::string_view json);

/// error_kind::data for a token outside a vocabulary of `vocab`: tokenizers may have more tokens
/// than the model has rows.
status check_token(std::int32_t token, std::int64_t vocab);

/// Checks that `folder` exists and holds the config.json of a supported model; the error names what
/// is missing.
status check_model_folder(const std::filesystem::path& folder);

/// parse_model_config of a file; messages begin with its path.
result<model_config> read_model_config(const std::filesystem::path& file);

}  // namespace cuset
