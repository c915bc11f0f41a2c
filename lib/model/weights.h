// A decoder's parameters by role, checked against its config, as pointers into the mapped files
// where the stored type can be used as it is. Private to lib/model.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/model/causal_lm.h"
#include "cuset/model/config.h"
#include "cuset/model/safetensors.h"
#include "large_pages.h"
#include "quantised_matrix.h"

namespace cuset {

/// A dense row-major matrix [rows × columns] in f32, f16 or bf16, aligned for its type; or a
/// quantised one, which has no data, and as its type the one before it was quantised.
struct weight_matrix {
    const void* data = nullptr;
    element_type type = element_type::f32;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::shared_ptr<const quantised_matrix> quantised{};
};

/// Row `row` in float.
void read_row(const weight_matrix& matrix, std::int64_t row, float* to);

/// The update of a linear layer by an adapter: y += scale · (x·Aᵀ)·Bᵀ, all in float.
struct low_rank_update {
    std::vector<float> a;  ///< [rank × in]
    std::vector<float> b;  ///< [out × rank]
    std::int64_t rank = 0;
    float scale = 0;
};

/// y = x·Wᵀ + bias (+ update), W [out × in].
struct linear_weights {
    weight_matrix weight;
    std::vector<float> bias;                ///< empty if there is none
    std::optional<low_rank_update> update;  ///< set by load_adapter
    /// Where the folder stores the layer quantised: of its elements before. An adapter may have
    /// replaced it.
    std::optional<element_type> type_before_codes;
};

struct layer_weights {
    std::vector<float> input_norm, post_attention_norm;  ///< [hidden]
    std::vector<float> query_norm, key_norm;             ///< [head_dim], or empty
    linear_weights query, key, value, output, gate, up, down;
};

/// The linear layers of a decoder layer by their names after "model.layers.N.". An adapter's layers
/// stand in this order.
struct named_linear {
    std::string_view name;
    linear_weights layer_weights::*weights;
};
inline constexpr std::array linear_layers{
    named_linear{"self_attn.q_proj", &layer_weights::query},
    named_linear{"self_attn.k_proj", &layer_weights::key},
    named_linear{"self_attn.v_proj", &layer_weights::value},
    named_linear{"self_attn.o_proj", &layer_weights::output},
    named_linear{"mlp.gate_proj", &layer_weights::gate},
    named_linear{"mlp.up_proj", &layer_weights::up},
    named_linear{"mlp.down_proj", &layer_weights::down},
};

struct decoder_weights {
    model_config config;
    weight_matrix embedding;  ///< [vocab × hidden]
    weight_matrix head;       ///< [vocab × hidden]; the embedding itself if they are tied
    std::vector<float> final_norm;
    std::vector<layer_weights> layers;
    /// What of the files is not as the config has it, in sentences for the user.
    std::vector<std::string> notes;

    tensor_store files;          ///< the files that the matrices point into
    tensor_store adapter_files;  ///< the adapter's, of which `replaced` are
    /// What an adapter holds whole (modules_to_save), by the names of the tensors that it replaces.
    std::map<std::string, const stored_tensor*, std::less<>> replaced;
    std::vector<std::unique_ptr<std::byte[]>> own;  ///< matrices that had to be converted or
                                                    ///< aligned
    large_pages codes;                              ///< of quantised matrices

    /// The tensor that counts: the adapter's, or the checkpoint's. Null if neither has it.
    const stored_tensor* find(std::string_view name) const;

    /// As tensor_store::fingerprint, of the checkpoint and the adapter, and of what their configs
    /// say about computing.
    std::uint64_t fingerprint(bool releases) const;

    /// Gives back the memory of a matrix whose elements are kept elsewhere from now on. Its data is
    /// null then; of a tied embedding, the embedding's too.
    void release(weight_matrix& matrix);

    /// Gives back the memory of all quantised matrices, of which there are copies elsewhere.
    void release_codes();
};

/// What the updates of an adapter are like.
struct adapter_shape {
    std::int64_t rank = 0;
    double alpha = 0;
    bool rank_stabilised =
        false;               ///< rsLoRA: updates are scaled by alpha / √rank, not alpha / rank
    bool is_uniform = true;  ///< all updates have this rank and this alpha

    double scale() const;
};

struct checkpoint {
    decoder_weights weights;
    bool bfloat16 = false;  ///< the result of compute_type::automatic: every matrix is stored so,
                            ///< but for quantised ones
    adapter_shape adapter;  ///< of its first update, if there is an adapter
};

/// In what the linear layers of the model in `folder` are kept: as its config says that they are
/// stored, else as `asked`. error_kind::usage if both say something, and not the same. Other errors
/// are those of read_model_config.
result<quantisation> resolve_quantisation(const std::filesystem::path& folder, quantisation asked);

/// Opens a Hugging Face folder, and an adapter of peft's for it unless `adapter` is empty
/// (adapter.h). With bf16, parameters stored with more precision are rounded once
/// (matrices become bf16); otherwise matrices keep their stored type. Every tensor must exist with
/// the config's shape. A tensor that the architecture does not have is refused by name: ignoring it
/// would compute another model. Linear layers that are quantised are so one by one, and their pages
/// of the file given back; data_error names one with an element that is not finite. Those that the
/// folder stores quantised are kept so, and no others (stored_nf4.h has their errors); `quantise`
/// is then not looked at. `order` is that of their codes.
result<checkpoint> open_checkpoint(const std::filesystem::path& folder, compute_type dtype,
                                   const std::filesystem::path& adapter = {},
                                   quantisation quantise = quantisation::none, int threads = 1,
                                   code_order order = code_order::panels);

}  // namespace cuset
