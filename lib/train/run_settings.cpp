#include "cuset/train/run_settings.h"

#include <simdjson.h>

#include <algorithm>

#include "cuset/model/device_kernels.h"
#include "cuset/model/product_choice.h"
#include "cuset/stream/json_text.h"
#include "cuset/stream/json_writer.h"

namespace cuset {

namespace {

class setting_list {
public:
    template <class Value>
    void add(const char* name, const Value& value, bool decides = true) {
        list_.push_back({name, json_of(value), decides});
    }
    std::vector<named_setting> take() { return std::move(list_); }

private:
    std::vector<named_setting> list_;
};

void add_objective(const objective_settings& o, setting_list& list) {
    list.add("objective", name_of(o.kind));
    list.add("norm", name_of(o.norm));
    const bool cuset = o.kind == objective_kind::cuset;
    if (cuset) {
        list.add("confidence_mask", o.confidence_mask);
        list.add("cuda_mask", o.cuda_mask);
        list.add("reweight", o.reweight);
    }
    if ((cuset && o.confidence_mask) || o.kind == objective_kind::profit) list.add("tau", o.tau);
    if (cuset && o.cuda_mask) list.add("lambda", o.lambda);
    // Only where they are on: a checkpoint of a run without them does not name them.
    if (o.mask != mask_form::hard) list.add("mask", name_of(o.mask));
    if (o.tau_warmup > 0) list.add("tau_warmup", o.tau_warmup);
    if (o.weights != weight_form::plain) list.add("weights", name_of(o.weights));
    if (o.weight_power != 1) list.add("weight_power", o.weight_power);
    if (o.sensitive_roles) list.add("sensitive", "roles=" + names_of(*o.sensitive_roles));
    if (o.drops_comments) list.add("comments", "drop");
    if (cuset && o.reweight) list.add("size", o.window);
    if (o.kind == objective_kind::eaft) list.add("entropy_power", o.alpha);
    const bool dpo = o.kind == objective_kind::dpo;
    if (o.kind == objective_kind::asft || dpo) list.add("beta", o.beta);
    if (dpo) list.add("label_smoothing", o.label_smoothing);
    if (dpo) list.add("length_normalise", o.length_normalise);
    if (o.blame != blamed_part::all) list.add("blame", name_of(o.blame));
    if (o.blame == blamed_part::window) list.add("size", o.window);
    if (o.blames_by_tau()) list.add("tau", o.tau);
    if (o.kind == objective_kind::grpo) {
        list.add("clip_low", o.clip_low);
        list.add("clip_high", o.clip_high);
        list.add("kl", o.beta);
        list.add("keep_truncated", o.keeps_truncated);
    }
}

bool is_length(std::string_view name) { return name == "epochs" || name == "max_steps"; }

}  // namespace

std::vector<named_setting> named_settings(const training_settings& settings,
                                          const trainable_decoder& decoder, const data_set& data) {
    setting_list list;
    list.add("model", decoder.folder().string(), false);
    list.add("model_hash", hexadecimal(decoder.fingerprint()));
    list.add("compute", decoder.compute_description(), false);
    list.add("kernels", kernels_on(decoder.device()), false);
    if (decoder.device().is_cpu()) list.add("products", name_of(chosen_products()), false);
    list.add("dtype", decoder.weights_are_bfloat16() ? "bf16" : "f32");
    // Only where it is on: a checkpoint of a run without it does not name it.
    if (decoder.quantised() != quantisation::none)
        list.add("quantize", name_of(decoder.quantised()));
    add_objective(settings.objective, list);
    if (const auto& lora = decoder.lora()) {
        list.add("rank", static_cast<std::size_t>(lora->rank));
        list.add("alpha", lora->alpha);
        list.add("dropout", lora->dropout);
        // Only where it is no adapter of all: a checkpoint of such a run does not name it.
        std::string targets;
        for (const auto& name : lora->targets) targets += (targets.empty() ? "" : ",") + name;
        if (!targets.empty()) list.add("target", targets);
        if (lora->rank_stabilised) list.add("rslora", true);
    } else {
        list.add("full", true);
    }
    list.add("lr", settings.schedule.peak);
    list.add("schedule", name_of(settings.schedule.kind));
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
    list.add("shuffle", b.shuffle);
    list.add("seed", static_cast<std::size_t>(b.seed));
    list.add("recompute", decoder.recomputes(), false);
    list.add("deterministic", settings.deterministic, false);
    if (!data.asks.empty()) {
        std::string asks;
        for (const auto& ask : data.asks) asks += (asks.empty() ? "" : ", ") + ask;
        list.add("ask", asks);
    }
    list.add("data_hash", hexadecimal(data.hash));
    list.add("samples", data.pairs.size());
    return list.take();
}

std::string settings_line(std::span<const named_setting> settings) {
    std::string text;
    for (const auto& setting : settings) {
        if (setting.name == "model" || setting.name == "model_hash") continue;
        text += (text.empty() ? "" : ", ") + setting.name + ' ';
        const bool quoted = setting.json.starts_with('"');
        text += quoted ? setting.json.substr(1, setting.json.size() - 2) : setting.json;
    }
    return text;
}

void write_settings(std::span<const named_setting> settings, bool deciding, json_writer& json) {
    json.begin_object(json_layout::lines);
    for (const auto& setting : settings)
        if (setting.decides || !deciding) json.key(setting.name).raw(setting.json);
    json.end_object();
}

result<std::string> differences(std::span<const named_setting> settings, std::string_view there,
                                bool but_length) {
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
        if (!setting.decides || (but_length && is_length(setting.name))) continue;
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

status check_same_run(const std::string& what, std::span<const named_setting> settings,
                      std::string_view there, bool extend) {
    CUSET_ASSIGN(const std::string all, differences(settings, there));
    CUSET_ASSIGN(const std::string others, differences(settings, there, true));
    if (all.empty() || (extend && others.empty())) return {};
    return usage_error(what + " a run with other settings: " + (extend ? others : all) +
                       (others.empty() ? "; --extend makes a run longer" : ""));
}

}  // namespace cuset
