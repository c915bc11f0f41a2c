#include "weights.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>
#include <utility>

#include "adapter.h"
#include "cuset/base/random_key.h"
#include "cuset/kernels/decoder_rows.h"
#include "json_text.h"
#include "row_tasks.h"
#include "stored_nf4.h"

namespace cuset {

namespace {

using kernels::bfloat16_bits;
using kernels::float16_bits;

std::size_t element_size(element_type type) { return type == element_type::f32 ? 4 : 2; }

/// `count` elements of `tensor` from `first` on, in float.
void read_floats(const stored_tensor& tensor, std::size_t first, std::size_t count, float* to) {
    const std::size_t size = element_size(tensor.type);
    const std::byte* from = tensor.bytes.data() + first * size;
    if (tensor.type == element_type::f32) {
        std::memcpy(to, from, count * size);
        return;
    }
    // A file may not align its tensors; the kernels' element types are two bytes wide.
    constexpr std::size_t block = 4096;
    std::uint16_t aligned[block];
    for (std::size_t done = 0; done < count; done += block) {
        const std::size_t n = std::min(block, count - done);
        std::memcpy(aligned, from + done * size, n * size);
        if (tensor.type == element_type::bf16) {
            kernels::widen(reinterpret_cast<const bfloat16_bits*>(aligned), n, to + done);
        } else {
            kernels::widen(reinterpret_cast<const float16_bits*>(aligned), n, to + done);
        }
    }
}

/// Whether two tensors of one shape are equal, whatever their types are.
bool holds_same_values(const stored_tensor& a, const stored_tensor& b) {
    if (a.type == b.type && std::ranges::equal(a.bytes, b.bytes)) return true;
    const std::size_t count = a.bytes.size() / element_size(a.type);
    constexpr std::size_t block = 4096;
    std::vector<float> mine(block), other(block);
    for (std::size_t done = 0; done < count; done += block) {
        const std::size_t n = std::min(block, count - done);
        read_floats(a, done, n, mine.data());
        read_floats(b, done, n, other.data());
        if (!std::equal(mine.begin(), mine.begin() + static_cast<std::ptrdiff_t>(n), other.begin()))
            return false;
    }
    return true;
}

class weight_loader {
public:
    weight_loader(decoder_weights& weights, bool round, quantisation quantise, code_order order,
                  int threads)
        : weights_(weights), round_(round), quantise_(quantise), order_(order), pool_(threads) {}

    status load() {
        const auto& config = weights_.config;
        const std::int64_t query = config.heads * config.head_dim;
        const std::int64_t key = config.kv_heads * config.head_dim;
        const std::int64_t hidden = config.hidden, inner = config.intermediate;
        const std::string root = "model.";
        CUSET_TRY(matrix(root + "embed_tokens.weight", config.vocab, hidden, weights_.embedding));
        CUSET_TRY(vector(root + "norm.weight", hidden, weights_.final_norm));
        CUSET_TRY(head());
        weights_.layers.resize(static_cast<std::size_t>(config.layers));
        std::int64_t number = 0;
        for (auto& layer : weights_.layers) {
            const std::string prefix = root + "layers." + std::to_string(number++) + ".";
            const std::string attention = prefix + "self_attn.", mlp = prefix + "mlp.";
            CUSET_TRY(vector(prefix + "input_layernorm.weight", hidden, layer.input_norm));
            CUSET_TRY(vector(prefix + "post_attention_layernorm.weight", hidden,
                             layer.post_attention_norm));
            CUSET_TRY(linear(attention + "q_proj", query, hidden, config.qkv_bias, layer.query));
            CUSET_TRY(linear(attention + "k_proj", key, hidden, config.qkv_bias, layer.key));
            CUSET_TRY(linear(attention + "v_proj", key, hidden, config.qkv_bias, layer.value));
            CUSET_TRY(
                linear(attention + "o_proj", hidden, query, config.output_bias, layer.output));
            CUSET_TRY(linear(mlp + "gate_proj", inner, hidden, config.mlp_bias, layer.gate));
            CUSET_TRY(linear(mlp + "up_proj", inner, hidden, config.mlp_bias, layer.up));
            CUSET_TRY(linear(mlp + "down_proj", hidden, inner, config.mlp_bias, layer.down));
            if (config.qk_norm) {
                CUSET_TRY(vector(attention + "q_norm.weight", config.head_dim, layer.query_norm));
                CUSET_TRY(vector(attention + "k_norm.weight", config.head_dim, layer.key_norm));
            }
        }
        if (weights_.config.stored_quantisation != quantisation::none && !found_codes_)
            return data_error(
                "config.json has a quantization_config, but no linear layer is stored in 4 bits");
        return refuse_unused();
    }

private:
    result<const stored_tensor*> find(const std::string& name,
                                      const std::vector<std::int64_t>& shape) {
        return checked(name, weights_.find(name), shape);
    }

    result<const stored_tensor*> checked(const std::string& name, const stored_tensor* tensor,
                                         const std::vector<std::int64_t>& shape) {
        if (tensor == nullptr) return data_error("tensor " + in_quotes(name) + " is missing");
        const bool is_of_adapter = weights_.replaced.contains(name);
        const std::string subject =
            (is_of_adapter ? "the adapter's tensor " : "tensor ") + in_quotes(name);
        if (tensor->shape != shape) {
            const bool has_codes = !is_of_adapter && has_quant_state(weights_.files, name);
            if (has_codes && weights_.config.stored_quantisation == quantisation::none)
                return data_error(subject +
                                  " holds codes of 4 bits, but config.json has no "
                                  "\"quantization_config\"");
            if (has_codes)
                return unsupported(subject +
                                   " is stored in 4 bits: only the decoder's linear layers may be");
            return data_error(subject + " has shape " + shape_text(tensor->shape) +
                              ", but the config asks for " + shape_text(shape));
        }
        if (tensor->type == element_type::other) {
            return unsupported(subject + " is " + tensor->type_name +
                               ": only F32, F16 and BF16 weights are supported");
        }
        used_.insert(name);
        return tensor;
    }

    /// Some files with tied embeddings store the copy, too. Where it is none, transformers 5 does
    /// not tie, whatever the config says, and neither does this. An adapter that holds the
    /// embeddings alone leaves the head as the base has it, as in peft.
    status head() {
        const std::string name = "lm_head.weight", embeddings = "model.embed_tokens.weight";
        auto& config = weights_.config;
        const stored_tensor* own = weights_.find(name);
        const bool of_adapter =
            weights_.replaced.contains(name) || weights_.replaced.contains(embeddings);
        if (config.tied_embeddings && own == nullptr && of_adapter)
            own = weights_.files.find(embeddings);
        if (config.tied_embeddings && own != nullptr) {
            CUSET_ASSIGN(own, checked(name, own, {config.vocab, config.hidden}));
            config.tied_embeddings = holds_same_values(*own, *weights_.find(embeddings));
            if (!config.tied_embeddings && !of_adapter)
                weights_.notes.emplace_back(
                    "config.json ties the head to the embeddings, but lm_head.weight differs from "
                    "them: the head is lm_head.weight, as in transformers 5");
        }
        if (!config.tied_embeddings)
            return matrix(name, own, config.vocab, config.hidden, weights_.head);
        weights_.head = weights_.embedding;
        return {};
    }

    status vector(const std::string& name, std::int64_t size, std::vector<float>& out) {
        CUSET_ASSIGN(const stored_tensor* tensor, find(name, {size}));
        out.resize(static_cast<std::size_t>(size));
        read_floats(*tensor, 0, out.size(), out.data());
        if (round_ && tensor->type != element_type::bf16) {
            std::vector<bfloat16_bits> rounded(out.size());
            kernels::narrow(out.data(), out.size(), rounded.data());
            kernels::widen(rounded.data(), out.size(), out.data());
        }
        return {};
    }

    status matrix(const std::string& name, std::int64_t rows, std::int64_t columns,
                  weight_matrix& out) {
        return matrix(name, weights_.find(name), rows, columns, out);
    }

    status matrix(const std::string& name, const stored_tensor* tensor, std::int64_t rows,
                  std::int64_t columns, weight_matrix& out) {
        CUSET_ASSIGN(tensor, checked(name, tensor, {rows, columns}));
        out = {tensor->bytes.data(), tensor->type, rows, columns};
        const std::size_t count =
            static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
        if (round_ && tensor->type != element_type::bf16) {
            auto& memory = weights_.own.emplace_back(
                std::make_unique_for_overwrite<std::byte[]>(count * sizeof(bfloat16_bits)));
            auto* rounded = reinterpret_cast<bfloat16_bits*>(memory.get());
            constexpr std::size_t block = 4096;
            float floats[block];
            for (std::size_t done = 0; done < count; done += block) {
                const std::size_t n = std::min(block, count - done);
                read_floats(*tensor, done, n, floats);
                kernels::narrow(floats, n, rounded + done);
            }
            // Else both forms of all matrices would be in memory.
            weights_.files.release();
            out.data = rounded;
            out.type = element_type::bf16;
        } else if (reinterpret_cast<std::uintptr_t>(out.data) % element_size(out.type) != 0) {
            auto& memory = weights_.own.emplace_back(
                std::make_unique_for_overwrite<std::byte[]>(tensor->bytes.size()));
            std::memcpy(memory.get(), tensor->bytes.data(), tensor->bytes.size());
            out.data = memory.get();
        }
        return {};
    }

    status linear(const std::string& name, std::int64_t rows, std::int64_t columns, bool bias,
                  linear_weights& out) {
        const std::string weight = name + ".weight";
        if (is_stored_quantised(weight, rows, columns)) {
            CUSET_ASSIGN(const stored_nf4 stored,
                         read_stored_nf4(weights_.files, weight, rows, columns));
            used_.insert(stored.parts.begin(), stored.parts.end());
            found_codes_ = true;
            out.type_before_codes = stored.type;
            if (!weights_.replaced.contains(weight)) keep(stored, out.weight);
        }
        if (out.weight.quantised == nullptr) {
            CUSET_TRY(matrix(weight, rows, columns, out.weight));
            CUSET_TRY(quantise(weight, out.weight));
        }
        return bias ? vector(name + ".bias", rows, out.bias) : status::ok();
    }

    /// bitsandbytes leaves out the layers that it is told to (llm_int8_skip_modules).
    bool is_stored_quantised(const std::string& name, std::int64_t rows,
                             std::int64_t columns) const {
        const stored_tensor* tensor = weights_.files.find(name);
        if (weights_.config.stored_quantisation == quantisation::none || tensor == nullptr)
            return false;
        if (has_quant_state(weights_.files, name)) return true;
        // Codes, of bytes or in the storage of another type, are one column: their state is
        // missing.
        const bool may_be_codes = tensor->type == element_type::other ||
                                  (tensor->shape.size() == 2 && tensor->shape[1] == 1);
        return may_be_codes && tensor->shape != std::vector{rows, columns};
    }

    void keep(const stored_nf4& stored, weight_matrix& out) {
        out = {nullptr, stored.type, stored.rows, stored.columns,
               std::make_shared<const quantised_matrix>(
                   quantised_matrix::keep(stored, round_, pool_, weights_.codes, order_))};
        weights_.files.release();
    }

    status quantise(const std::string& name, weight_matrix& matrix) {
        if (quantise_ == quantisation::none ||
            weights_.config.stored_quantisation != quantisation::none ||
            weights_.replaced.contains(name))
            return {};
        auto made =
            quantised_matrix::make(quantise_, matrix, round_, pool_, weights_.codes, order_);
        if (!made) return std::move(made).error().with_prefix("tensor " + in_quotes(name) + ": ");
        weights_.release(matrix);
        matrix.quantised = std::make_shared<const quantised_matrix>(*std::move(made));
        return {};
    }

    status refuse_unused() const {
        for (const auto& tensor : weights_.files.tensors()) {
            // Old checkpoints store the rotary frequencies, which the config determines.
            if (!used_.contains(tensor.name) && !tensor.name.ends_with("rotary_emb.inv_freq")) {
                return unsupported("tensor " + in_quotes(tensor.name) +
                                   " is no part of the model that the config describes");
            }
        }
        for (const auto& [name, tensor] : weights_.replaced)
            if (!used_.contains(name))
                return unsupported("the adapter's tensor " + in_quotes(tensor->name) +
                                   " is no part of the model that the config describes");
        return {};
    }

    decoder_weights& weights_;
    bool round_;
    quantisation quantise_;
    code_order order_;
    bool found_codes_ = false;
    task_pool pool_;
    std::set<std::string> used_;
};

bool stored_as_bfloat16(const tensor_store& files) {
    return std::all_of(files.tensors().begin(), files.tensors().end(), [&](const auto& tensor) {
        return tensor.shape.size() != 2 || tensor.type == element_type::bf16 ||
               has_quant_state(files, tensor.name);
    });
}

}  // namespace

double adapter_shape::scale() const {
    const auto by = static_cast<double>(rank);
    return alpha / (rank_stabilised ? std::sqrt(by) : by);
}

const stored_tensor* decoder_weights::find(std::string_view name) const {
    const auto found = replaced.find(name);
    return found != replaced.end() ? found->second : files.find(name);
}

std::uint64_t decoder_weights::fingerprint(bool releases) const {
    std::uint64_t hash = mixed_key(files.fingerprint(releases), adapter_files.fingerprint());
    const auto mix = [&](double x) { hash = mixed_key(hash, std::bit_cast<std::uint64_t>(x)); };
    mix(config.norm_epsilon);
    const rope_config& rope = config.rope;
    mix(static_cast<double>(rope.kind));
    for (const double x : {rope.theta, rope.factor, rope.low_freq_factor, rope.high_freq_factor,
                           rope.original_positions})
        mix(x);
    for (const std::int64_t count : {config.heads, config.kv_heads, config.head_dim})
        mix(static_cast<double>(count));
    mix(config.tied_embeddings ? 1 : 0);
    for (const layer_weights& layer : layers)
        for (const named_linear& linear : linear_layers) {
            const auto& update = (layer.*linear.weights).update;
            if (!update) continue;
            mix(static_cast<double>(update->scale));
            mix(std::accumulate(update->a.begin(), update->a.end(), 0.0));
            mix(std::accumulate(update->b.begin(), update->b.end(), 0.0));
        }
    return hash;
}

void decoder_weights::release_codes() {
    for (layer_weights& layer : layers)
        for (const named_linear& linear : linear_layers)
            (layer.*linear.weights).weight.quantised.reset();
    codes = {};
}

void decoder_weights::release(weight_matrix& matrix) {
    const void* data = matrix.data;
    const auto converted = std::find_if(own.begin(), own.end(),
                                        [&](const auto& memory) { return memory.get() == data; });
    if (converted != own.end())
        own.erase(converted);
    else
        files.release();
    matrix.data = nullptr;
    if (embedding.data == data) embedding.data = nullptr;
}

void read_row(const weight_matrix& matrix, std::int64_t row, float* to) {
    const std::int64_t from = row * matrix.columns;
    const auto count = static_cast<std::size_t>(matrix.columns);
    switch (matrix.type) {
        case element_type::bf16:
            kernels::widen(static_cast<const bfloat16_bits*>(matrix.data) + from, count, to);
            return;
        case element_type::f16:
            kernels::widen(static_cast<const float16_bits*>(matrix.data) + from, count, to);
            return;
        default: std::memcpy(to, static_cast<const float*>(matrix.data) + from, count * sizeof *to);
    }
}

result<quantisation> resolve_quantisation(const std::filesystem::path& folder, quantisation asked) {
    CUSET_ASSIGN(const model_config config, read_model_config(folder / "config.json"));
    const quantisation stored = config.stored_quantisation;
    if (stored != quantisation::none && asked != quantisation::none && asked != stored)
        return usage_error(folder.string() + " is stored in " + std::string(name_of(stored)) +
                           ": it cannot be quantised to " + std::string(name_of(asked)));
    return stored == quantisation::none ? asked : stored;
}

result<checkpoint> open_checkpoint(const std::filesystem::path& folder, compute_type dtype,
                                   const std::filesystem::path& adapter, quantisation quantise,
                                   int threads, code_order order) {
    checkpoint opened;
    decoder_weights& weights = opened.weights;
    CUSET_ASSIGN(weights.config, read_model_config(folder / "config.json"));
    CUSET_ASSIGN(weights.files, tensor_store::open_folder(folder));
    opened.bfloat16 = dtype == compute_type::bf16 ||
                      (dtype == compute_type::automatic && stored_as_bfloat16(weights.files));
    std::optional<adapter_settings> settings;
    if (!adapter.empty()) {
        CUSET_ASSIGN(settings, open_adapter(adapter, weights));
    }
    CUSET_TRY(weight_loader(weights, opened.bfloat16, quantise, order, threads)
                  .load()
                  .with_prefix(folder.string() + ": "));
    if (settings) {
        CUSET_ASSIGN(opened.adapter, apply_updates(adapter, *settings, weights));
    }
    return opened;
}

}  // namespace cuset
