// The input of loss_dump and training_dump: options and samples as JSON.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <vector>

#include "cuset/model/trainable_decoder.h"
#include "cuset/train/objective.h"

namespace cuset::request {

namespace dom = simdjson::dom;

struct sample {
    std::vector<std::int32_t> tokens;
    std::size_t prompt = 1;
    std::vector<bool> sensitive;
    std::vector<bool> left_out;   ///< of windows; empty: none
    std::vector<bool> droppable;  ///< by the confidence mask; empty: all
    std::uint64_t key = 0;
    std::vector<std::int32_t> rejected;  ///< with their prompt; empty: this is no pair
    std::size_t rejected_prompt = 0;
    std::vector<bool> rejected_sensitive;
    std::vector<float> reference;  ///< log p of the responses' tokens, the rejected one's last
    std::vector<float> old_log_p;  ///< of an answer's tokens
    double weight = 1, advantage = 0;
    bool is_masked = false;
};

inline double number(dom::object options, const char* name, double otherwise) {
    double value = 0;
    return options[name].get(value) == simdjson::SUCCESS ? value : otherwise;
}
inline bool flag(dom::object options, const char* name, bool otherwise) {
    bool value = false;
    return options[name].get(value) == simdjson::SUCCESS ? value : otherwise;
}
inline std::string word(dom::object options, const char* name, const char* otherwise) {
    std::string_view value;
    return std::string(options[name].get(value) == simdjson::SUCCESS ? value : otherwise);
}

template <class Value>
std::vector<Value> values(dom::element element, const char* name) {
    std::vector<Value> read;
    dom::array array;
    if (element[name].get(array) == simdjson::SUCCESS)
        for (const dom::element value : array) read.push_back(static_cast<Value>(double(value)));
    return read;
}

inline sample read_sample(dom::element element) {
    sample s;
    for (const dom::element token : element["tokens"].get_array())
        s.tokens.push_back(static_cast<std::int32_t>(token.get_int64()));
    s.prompt = element["prompt"].get_uint64();
    s.key = element["key"].get_uint64();
    for (const dom::element one : element["sensitive"].get_array())
        s.sensitive.push_back(one.get_int64() != 0);
    dom::array left_out;
    if (element["left_out"].get(left_out) == simdjson::SUCCESS)
        for (const dom::element one : left_out) s.left_out.push_back(one.get_int64() != 0);
    for (const int one : values<int>(element, "droppable")) s.droppable.push_back(one != 0);
    s.rejected = values<std::int32_t>(element, "rejected");
    if (!s.rejected.empty()) s.rejected_prompt = element["rejected_prompt"].get_uint64();
    for (const int one : values<int>(element, "rejected_sensitive"))
        s.rejected_sensitive.push_back(one != 0);
    s.reference = values<float>(element, "reference");
    s.old_log_p = values<float>(element, "old_log_p");
    s.weight = number(element, "weight", 1);
    s.advantage = number(element, "advantage", 0);
    s.is_masked = flag(element, "masked", false);
    return s;
}

inline training_model_options model_options(dom::object options) {
    training_model_options model;
    model.dtype = word(options, "dtype", "f32") == "bf16" ? compute_type::bf16 : compute_type::f32;
    model.device = word(options, "device", "cpu");
    model.threads = static_cast<int>(number(options, "threads", 2));
    model.recompute = flag(options, "recompute", false);
    if (word(options, "quantize", "none") == "nf4") model.quantise = quantisation::nf4;
    model.lora->dropout = number(options, "dropout", 0);
    if (const auto adapter = word(options, "adapter", ""); !adapter.empty())
        model.init_adapter = adapter;
    if (flag(options, "full", false)) model.lora.reset();
    return model;
}

inline objective_settings objective(dom::object options) {
    objective_settings settings;
    settings.kind = objective_by_name(word(options, "objective", "cuset")).value();
    settings.norm = norm_by_name(word(options, "norm", "tokens")).value();
    settings.tau = number(options, "tau", settings.tau);
    settings.lambda = number(options, "lambda", settings.lambda);
    settings.window = static_cast<std::size_t>(number(options, "window", 256));
    settings.alpha = number(options, "alpha", settings.alpha);
    settings.beta = number(options, "beta", settings.beta);
    settings.label_smoothing = number(options, "label_smoothing", 0);
    settings.clip_low = number(options, "clip_low", settings.clip_low);
    settings.clip_high = number(options, "clip_high", settings.clip_high);
    settings.blame = blamed_part_by_name(word(options, "blame", "all")).value();
    settings.length_normalise = flag(options, "length_normalise", false);
    settings.mask = mask_form_by_name(word(options, "mask", "hard")).value();
    settings.tau_warmup = static_cast<std::size_t>(number(options, "tau_warmup", 0));
    settings.weights = weight_form_by_name(word(options, "weights", "plain")).value();
    settings.weight_power = number(options, "weight_power", 1);
    settings.confidence_mask = flag(options, "confidence_mask", true);
    settings.cuda_mask = flag(options, "cuda_mask", true);
    settings.reweight = flag(options, "reweight", true);
    return settings;
}

}  // namespace cuset::request
