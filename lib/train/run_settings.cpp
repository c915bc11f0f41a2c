#include "cuset/train/run_settings.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cinttypes>
#include <cmath>
#include <cstdio>

#include "cuset/model/device_kernels.h"
#include "cuset/stream/json_text.h"

namespace cuset {

namespace {

std::string in_json(std::string_view text) {
    std::string json;
    append_json_string(text, json);
    return json;
}

std::string in_json(bool value) { return value ? "true" : "false"; }

class setting_list {
public:
    void add(const char* name, double value, bool decides = true) {
        list_.push_back({name, json_number(value), decides});
    }
    void add(const char* name, std::size_t value, bool decides = true) {
        list_.push_back({name, std::to_string(value), decides});
    }
    void add_json(const char* name, std::string json, bool decides = true) {
        list_.push_back({name, std::move(json), decides});
    }
    std::vector<named_setting> take() { return std::move(list_); }

private:
    std::vector<named_setting> list_;
};

void add_objective(const objective_settings& o, setting_list& list) {
    list.add_json("objective", in_json(name_of(o.kind)));
    list.add_json("norm", in_json(name_of(o.norm)));
    const bool cuset = o.kind == objective_kind::cuset;
    if (cuset) {
        list.add_json("confidence_mask", in_json(o.confidence_mask));
        list.add_json("cuda_mask", in_json(o.cuda_mask));
        list.add_json("reweight", in_json(o.reweight));
    }
    if ((cuset && o.confidence_mask) || o.kind == objective_kind::profit) list.add("tau", o.tau);
    if (cuset && o.cuda_mask) list.add("lambda", o.lambda);
    if (cuset && o.reweight) list.add("size", o.window);
    if (o.kind == objective_kind::eaft) list.add("entropy_power", o.alpha);
    if (o.kind == objective_kind::asft) list.add("beta", o.beta);
}

}  // namespace

std::string json_hash(std::uint64_t value) {
    std::array<char, 20> text;
    std::snprintf(text.data(), text.size(), "\"%016" PRIx64 "\"", value);
    return text.data();
}

std::string json_number(double value) {
    if (!std::isfinite(value)) return "null";
    std::array<char, 32> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

std::vector<named_setting> named_settings(const training_settings& settings,
                                          const trainable_decoder& decoder, const data_set& data) {
    setting_list list;
    list.add_json("model", in_json(decoder.folder().string()), false);
    list.add_json("model_hash", json_hash(decoder.fingerprint()));
    list.add_json("compute", in_json(decoder.compute_description()), false);
    list.add_json("kernels", in_json(std::string_view(kernels_on(decoder.device()))), false);
    list.add_json("dtype", decoder.weights_are_bfloat16() ? "\"bf16\"" : "\"f32\"");
    add_objective(settings.objective, list);
    if (const auto& lora = decoder.lora()) {
        list.add("rank", static_cast<std::size_t>(lora->rank));
        list.add("alpha", lora->alpha);
        list.add("dropout", lora->dropout);
    } else {
        list.add_json("full", "true");
    }
    list.add("lr", settings.schedule.peak);
    list.add_json("schedule", in_json(name_of(settings.schedule.kind)));
    list.add("warmup", settings.schedule.warmup);
    list.add("epochs", settings.epochs);
    list.add("max_steps", settings.max_steps);
    list.add("adam_beta1", settings.optimizer.beta1);
    list.add("adam_beta2", settings.optimizer.beta2);
    list.add("adam_epsilon", settings.optimizer.epsilon);
    list.add("weight_decay", settings.optimizer.weight_decay);
    list.add("clip", settings.optimizer.clip);
    const batch_settings& b = settings.batches;
    list.add("processes", b.processes, false);
    if (b.tokens > 0) {
        list.add("step_tokens", b.tokens * b.processes);
    } else {
        list.add("batch", b.batch, false);
        list.add("accumulate", b.accumulate, false);
        list.add("step_samples", b.batch * b.accumulate * b.processes);
    }
    list.add("pass_tokens", settings.pass_tokens, false);
    list.add_json("shuffle", in_json(b.shuffle));
    list.add("seed", static_cast<std::size_t>(b.seed));
    list.add_json("recompute", in_json(decoder.recomputes()), false);
    list.add_json("deterministic", in_json(settings.deterministic), false);
    list.add_json("data_hash", json_hash(data.hash));
    list.add("samples", data.pairs.size());
    return list.take();
}

std::string settings_json(std::span<const named_setting> settings, bool deciding) {
    std::string text = "{";
    for (const auto& setting : settings) {
        if (deciding && !setting.decides) continue;
        text += text.size() > 1 ? ",\n    \"" : "\n    \"";
        text += setting.name + "\": " + setting.json;
    }
    return text + "\n  }";
}

result<std::string> differences(std::span<const named_setting> settings, std::string_view there) {
    simdjson::dom::parser parser;
    simdjson::dom::object object;
    if (there.empty() || parser.parse(there.data(), there.size()).get(object))
        return data_error("its settings are no JSON object");
    std::string text;
    const auto add = [&](const std::string& name, const std::string& own,
                         const std::string& other) {
        text += (text.empty() ? "" : ", ") + name + ' ' + own + " (there " + other + ')';
    };
    for (const auto& setting : settings) {
        if (!setting.decides) continue;
        simdjson::dom::element value;
        const bool missing = object[setting.name].get(value) != simdjson::SUCCESS;
        const std::string other = missing ? "nothing" : simdjson::minify(value);
        simdjson::dom::parser own_parser;
        const std::string own = simdjson::minify(own_parser.parse(setting.json).value());
        if (own != other) add(setting.name, own, other);
    }
    for (const auto field : object) {
        const bool known = std::any_of(settings.begin(), settings.end(),
                                       [&](const auto& s) { return s.name == field.key; });
        if (!known) add(std::string(field.key), "nothing", simdjson::minify(field.value));
    }
    return text;
}

}  // namespace cuset
