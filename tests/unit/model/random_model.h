// Small models of random weights for the tests, as Hugging Face folders. No dimension is a multiple
// of a vector's width.
#pragma once

#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "safetensors_text.h"

/// A model with tied embeddings, written as one f32 file; its tensors may be changed before that.
class random_model {
public:
    static constexpr int hidden = 36, inner = 50, heads = 6, kv_heads = 2, head_dim = 6, vocab = 71,
                         layers = 2;

    /// `type` is llama, qwen2 (with biases) or qwen3 (with norms of queries and keys).
    explicit random_model(const std::filesystem::path& folder, const std::string& type = "llama")
        : folder_(folder) {
        write_file(folder / "config.json", R"({"model_type":")" + type + R"(","hidden_size":36,
            "intermediate_size":50,"num_hidden_layers":2,"num_attention_heads":6,"head_dim":6,
            "num_key_value_heads":2,"vocab_size":71,"tie_word_embeddings":true,
            "max_position_embeddings":512})");
        add("model.embed_tokens.weight", {vocab, hidden}, 1.0F);
        add("model.norm.weight", {hidden}, 0.3F, 1.0F);
        for (int layer = 0; layer < layers; ++layer) {
            const std::string prefix = "model.layers." + std::to_string(layer) + ".";
            add(prefix + "input_layernorm.weight", {hidden}, 0.3F, 1.0F);
            add(prefix + "post_attention_layernorm.weight", {hidden}, 0.3F, 1.0F);
            for (const auto& linear : linears()) {
                add(prefix + linear.name + ".weight", {linear.out, linear.in}, 0.3F);
                if (type == "qwen2" && linear.biased) {
                    add(prefix + linear.name + ".bias", {linear.out}, 0.5F);
                }
            }
            if (type == "qwen3") {
                add(prefix + "self_attn.q_norm.weight", {head_dim}, 0.3F, 1.0F);
                add(prefix + "self_attn.k_norm.weight", {head_dim}, 0.3F, 1.0F);
            }
        }
    }

    struct tensor {
        std::string name;
        std::vector<int> shape;
        std::vector<float> values;
    };
    std::vector<tensor> tensors;

    tensor& find(const std::string& name) {
        for (auto& t : tensors) {
            if (t.name == name) return t;
        }
        throw std::out_of_range(name);
    }

    /// With `padding` the header is a byte longer, so that no tensor is aligned.
    void write(bool padding = false) const {
        write_tensors(folder_ / "model.safetensors", tensors, padding);
    }

    /// An adapter of rank 3 on every linear layer.
    void write_adapter(const std::filesystem::path& folder) {
        std::filesystem::create_directories(folder);
        write_file(folder / "adapter_config.json",
                   R"({"peft_type":"LORA","r":3,"lora_alpha":6,"bias":"none"})");
        std::vector<tensor> updates;
        for (int layer = 0; layer < layers; ++layer) {
            for (const auto& linear : linears()) {
                const std::string name =
                    "base_model.model.model.layers." + std::to_string(layer) + "." + linear.name;
                updates.push_back(random(name + ".lora_A.weight", {3, linear.in}, 0.1F));
                updates.push_back(random(name + ".lora_B.weight", {linear.out, 3}, 0.1F));
            }
        }
        write_tensors(folder / "adapter_model.safetensors", updates, false);
    }

    static void write_tensors(const std::filesystem::path& path, const std::vector<tensor>& tensors,
                              bool padding) {
        std::string header = "{", data;
        for (const auto& t : tensors) {
            const std::size_t begin = data.size();
            data.append(reinterpret_cast<const char*>(t.values.data()), t.values.size() * 4);
            header += (header.size() > 1 ? ",\"" : "\"") + t.name + R"(":{"dtype":"F32","shape":[)";
            for (std::size_t i = 0; i < t.shape.size(); ++i) {
                header += (i == 0 ? "" : ",") + std::to_string(t.shape[i]);
            }
            header += "],\"data_offsets\":[" + std::to_string(begin) + "," +
                      std::to_string(data.size()) + "]}";
        }
        header += "}";
        while (header.size() % 8 != (padding ? 1U : 0U)) header += ' ';
        write_file(path, safetensors_text(header, 0) + data);
    }

private:
    struct linear_shape {
        std::string name;
        int out, in;
        bool biased = false;
    };
    static std::vector<linear_shape> linears() {
        constexpr int query = heads * head_dim, key = kv_heads * head_dim;
        return {{"self_attn.q_proj", query, hidden, true}, {"self_attn.k_proj", key, hidden, true},
                {"self_attn.v_proj", key, hidden, true},   {"self_attn.o_proj", hidden, query},
                {"mlp.gate_proj", inner, hidden},          {"mlp.up_proj", inner, hidden},
                {"mlp.down_proj", hidden, inner}};
    }

    tensor random(const std::string& name, std::vector<int> shape, float spread, float mean = 0) {
        std::size_t count = 1;
        for (const int extent : shape) count *= static_cast<std::size_t>(extent);
        std::normal_distribution<float> normal(mean, spread);
        std::vector<float> values(count);
        for (float& value : values) value = normal(generator_);
        return {name, std::move(shape), std::move(values)};
    }
    void add(const std::string& name, std::vector<int> shape, float spread, float mean = 0) {
        tensors.push_back(random(name, std::move(shape), spread, mean));
    }

    std::filesystem::path folder_;
    std::mt19937 generator_{42};
};

inline std::vector<std::int32_t> random_tokens(std::size_t count, unsigned seed) {
    std::mt19937 generator(seed);
    std::vector<std::int32_t> tokens(count);
    for (auto& token : tokens) {
        token = static_cast<std::int32_t>(generator() % random_model::vocab);
    }
    return tokens;
}
