// The model of random_model.h as transformers and bitsandbytes store it in 4 bits; its tensors may
// be changed before it is written.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "cuset/kernels/quantised_panels.h"
#include "random_model.h"

namespace cuset {

template <class Value>
std::string bytes_text(const std::vector<Value>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value)};
}

class stored_model {
public:
    struct tensor {
        std::string name, type;
        std::vector<std::size_t> shape;
        std::string bytes;
    };
    std::vector<tensor> tensors;
    std::string config;

    /// With double quantisation if `nested`.
    stored_model(const std::filesystem::path& folder, bool nested)
        : folder_(folder), nested_(nested) {
        const random_model plain(folder);
        std::ifstream file(folder / "config.json");
        config.assign(std::istreambuf_iterator<char>(file), {});
        config.insert(1, R"("quantization_config":{"load_in_4bit":true,"quant_method":)"
                         R"("bitsandbytes","bnb_4bit_quant_type":"nf4"},)");
        for (const auto& one : plain.tensors) {
            if (one.name.find("proj") == std::string::npos) {
                add(one.name, "F32", {}, one.values);
                tensors.back().shape.assign(one.shape.begin(), one.shape.end());
            } else {
                quantise(one);
            }
        }
    }

    tensor& find(const std::string& name) {
        for (auto& t : tensors)
            if (t.name == name) return t;
        throw std::out_of_range(name);
    }
    void erase(const std::string& name) {
        std::erase_if(tensors, [&](const tensor& t) { return t.name == name; });
    }

    void write() const {
        write_file(folder_ / "config.json", config);
        std::string header = "{", data;
        for (const auto& t : tensors) {
            header += (header.size() > 1 ? ",\"" : "\"") + t.name + R"(":{"dtype":")" + t.type +
                      R"(","shape":[)";
            for (std::size_t i = 0; i < t.shape.size(); ++i)
                header += (i == 0 ? "" : ",") + std::to_string(t.shape[i]);
            header += "],\"data_offsets\":[" + std::to_string(data.size()) + "," +
                      std::to_string(data.size() + t.bytes.size()) + "]}";
            data += t.bytes;
        }
        write_file(folder_ / "model.safetensors", safetensors_text(header + "}", 0) + data);
    }

private:
    template <class Value>
    void add(const std::string& name, const char* type, std::vector<std::size_t> shape,
             const std::vector<Value>& values) {
        if (shape.empty()) shape = {values.size()};
        tensors.push_back({name, type, std::move(shape), bytes_text(values)});
    }

    void quantise(const random_model::tensor& plain) {
        constexpr auto block = kernels::nf4_block, group = kernels::nf4_group;
        const auto& x = plain.values;
        std::vector<std::uint8_t> codes(x.size() + 1), packed((x.size() + 1) / 2);
        std::vector<float> absmax;
        double sum = 0;
        for (std::size_t i = 0; i < x.size(); i += block) {
            absmax.push_back(
                kernels::quantise_nf4(&x[i], std::min(block, x.size() - i), &codes[i]));
            sum += double{absmax.back()};
        }
        for (std::size_t i = 0; i < x.size(); i += 2)
            packed[i / 2] = static_cast<std::uint8_t>(codes[i] << 4 | codes[i + 1]);
        add(plain.name, "U8", {packed.size(), 1}, packed);
        std::string state = R"({"quant_type":"nf4","blocksize":64,"dtype":"float32","shape":[)" +
                            std::to_string(plain.shape[0]) + "," + std::to_string(plain.shape[1]) +
                            "]";
        if (nested_) {
            const auto offset = static_cast<float>(sum / static_cast<double>(absmax.size()));
            std::vector<std::uint8_t> bytes(absmax.size());
            std::vector<float> groups;
            for (float& value : absmax) value -= offset;
            for (std::size_t i = 0; i < absmax.size(); i += group)
                groups.push_back(kernels::quantise_dynamic(
                    &absmax[i], std::min(group, absmax.size() - i), &bytes[i]));
            add(plain.name + ".absmax", "U8", {}, bytes);
            add(plain.name + ".nested_absmax", "F32", {}, groups);
            const float* values = kernels::dynamic_values();
            add(plain.name + ".nested_quant_map", "F32", {},
                std::vector(values, values + kernels::dynamic_codes));
            char text[64];
            std::snprintf(text, sizeof text, "%.9g", double{offset});
            state += R"(,"nested_blocksize":256,"nested_dtype":"float32","nested_offset":)" +
                     std::string(text);
        } else {
            add(plain.name + ".absmax", "F32", {}, absmax);
        }
        add(plain.name + ".quant_map", "F32", {},
            std::vector(kernels::nf4_values, kernels::nf4_values + kernels::nf4_codes));
        state += "}";
        add(plain.name + ".quant_state.bitsandbytes__nf4", "U8", {},
            std::vector<char>(state.begin(), state.end()));
    }

    std::filesystem::path folder_;
    bool nested_;
};

}  // namespace cuset
