#include "config.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <optional>
#include <string_view>

#include "cuset/base/fd.h"
#include "cuset/cli/suggestion.h"

namespace cuset {

namespace {

// Names of LLaMA-Factory 0.9.5 and transformers that are no option here. With values, these are
// what cuset-train does anyway, and no others are accepted.
struct foreign_name {
    std::string_view name;  // with dashes
    std::vector<std::string_view> values{};
    std::string_view advice{};
};

const std::vector<foreign_name>& foreign_names() {
    static const std::vector<foreign_name> names = {
        {"adam-beta1", {"0.9"}, "it is 0.9 here"},
        {"adam-beta2", {"0.999"}, "it is 0.999 here"},
        {"adam-epsilon", {"1e-8"}, "it is 1e-8 here"},
        {"additional-target"},
        {"asft-alpha", {}, "use beta"},
        {"badam-mode"},
        {"bf16", {}, "use dtype: bf16"},
        {"create-new-adapter", {"false"}, "init_adapter goes on with an adapter"},
        {"dataset", {}, "name the file on the command line, with columns: dataset_info.json:NAME"},
        {"dataset-dir", {}, "name the file on the command line"},
        {"dpo-label-smoothing", {}, "use label_smoothing"},
        {"deepspeed"},
        {"default-system", {}, "use system: FILE"},
        {"disable-gradient-checkpointing", {}, "use recompute"},
        {"do-eval", {}, "use eval: FILE or eval_size"},
        {"do-predict", {"false"}},
        {"do-train", {"true"}},
        {"early-stopping-steps", {}, "use patience, which keeps the best weights"},
        {"enable-liger-kernel"},
        {"enable-thinking", {}, "template: qwen3, qwen3_nothink or lf:qwen3 decides it"},
        {"eval-dataset", {}, "use eval: FILE"},
        {"eval-steps", {}, "use eval_every"},
        {"eval-strategy", {}, "use eval_every, which is each epoch by default"},
        {"flash-attn"},
        {"fp16", {"false"}, "there are f32 and bf16 alone"},
        {"freeze-trainable-layers"},
        {"gradient-checkpointing", {}, "use recompute"},
        {"label-smoothing-factor", {"0"}},
        {"logging-strategy", {"steps"}},
        {"loraplus-lr-ratio"},
        {"lora-target", {"all"}, "all linear layers but the head are trained"},
        {"lr-scheduler-kwargs"},
        {"mask-history", {"true"}, "the last answer of a conversation alone is trained here"},
        {"max-samples", {}, "take the first lines with head -n"},
        {"mix-strategy"},
        {"neat-packing", {}, "packing never changes the result here"},
        {"neftune-noise-alpha"},
        {"optim", {"adamw_torch", "adamw_torch_fused"}, "AdamW is the only optimiser"},
        {"overwrite-output-dir", {"false"}, "a run needs a folder of its own"},
        {"packing", {"false"}, "packing never changes the result here"},
        {"pissa-init", {"false"}},
        {"pref-beta", {}, "use beta"},
        {"pref-bco-weight", {"0"}},
        {"pref-ftx", {"0"}},
        {"pref-loss", {"sigmoid"}, "objective: dpo has the sigmoid loss"},
        {"pure-bf16", {}, "use dtype: bf16"},
        {"quantization-bit"},
        {"ref-model"},
        {"ref-model-adapters"},
        {"report-to", {"none"}, "trainer_log.jsonl has each step"},
        {"resume-from-checkpoint", {}, "use resume, or resume_from: DIR"},
        {"save-only-model", {"false"}},
        {"save-strategy", {"steps"}, "use save_every"},
        {"stage", {"sft"}, "use objective: dpo or grpo to learn from verdicts"},
        {"streaming", {"false"}},
        {"tokenized-path"},
        {"train-on-prompt", {"false"}},
        {"upcast-layernorm"},
        {"use-asft-loss", {"false"}, "use objective: asft"},
        {"use-dft-loss", {"false"}, "use objective: dft"},
        {"use-dora", {"false"}},
        {"use-eaft-loss", {"false"}, "use objective: eaft"},
        {"use-rslora", {"false"}},
        {"use-unsloth"},
    };
    return names;
}

// Names of LLaMA-Factory that change no weight and no figure of a run, whatever their value.
// (Nothing of a model folder is run here.)
constexpr std::string_view names_without_effect[] = {
    "dataloader-num-workers",     "ddp-timeout", "overwrite-cache",
    "per-device-eval-batch-size", "plot-loss",   "preprocessing-num-workers",
    "trust-remote-code"};

// What a run.json records of a run that is no setting, or follows from the others.
constexpr std::string_view facts_of_a_run[] = {
    "ask",        "compute", "data-hash", "held-out-hash", "held-out-samples", "kernels",
    "model-hash", "samples", "processes", "products",      "start-hash",       "step-samples"};

std::string dashed(std::string name) {
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

std::optional<bool> truth_of(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (text == "true") return true;
    if (text == "false") return false;
    return {};
}

/// The number that the whole text is.
std::optional<double> number_of(const std::string& text) {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != 0) return {};
    return number;
}

bool is_same(const std::string& text, std::string_view value) {
    const auto a = number_of(text), b = number_of(std::string(value));
    if (a && b) return *a == *b;
    const auto truth = truth_of(text);
    return text == value || (truth && truth == truth_of(std::string(value)));
}

class config_reader {
public:
    config_reader(const program& p, std::string path) : program_(p), path_(std::move(path)) {}

    result<std::vector<std::string>> read(recorded_run& recorded) {
        CUSET_ASSIGN(const std::string text, read_whole_file(path_));
        try {
            const std::vector<YAML::Node> documents = YAML::LoadAll(text);
            if (documents.empty() || documents[0].IsNull()) return words_;
            if (documents.size() > 1) return at(documents[1], "a second document");
            const YAML::Node& root = documents[0];
            if (!root.IsMap()) return at(root, "no settings: a line of them is NAME: VALUE");
            const YAML::Node settings = root["settings"];
            is_record_ = settings && settings.IsMap();
            if (is_record_) CUSET_TRY(read_facts(root, recorded));
            std::string refused;
            for (const auto& entry : is_record_ ? settings : root)
                if (const status read = read_entry(entry.first, entry.second); !read)
                    add_refusal(refused, read.message());
            if (!refused.empty()) return usage_error(refused);
        } catch (const YAML::Exception& error) {
            return usage_error(path_ + ':' + std::to_string(error.mark.line + 1) + ": " +
                               error.msg);
        }
        return words_;
    }

private:
    status at(const YAML::Node& node, const std::string& message) const {
        return usage_error(path_ + ':' + std::to_string(node.Mark().line + 1) + ": " + message);
    }

    // All that is wrong is said at once, so that a file of another program is not mended line by
    // line.
    void add_refusal(std::string& refused, const std::string& message) const {
        const std::string place = path_ + ':';
        refused +=
            refused.empty()
                ? message
                : "; line " + (message.starts_with(place) ? message.substr(place.size()) : message);
    }

    status read_facts(const YAML::Node& root, recorded_run& recorded) {
        const YAML::Node settings = root["settings"];
        recorded.data_hash = settings["data_hash"].as<std::string>("");
        recorded.model_hash = settings["model_hash"].as<std::string>("");
        recorded.was_extended = root["extended_at"].IsDefined();
        // The record has the tokens of all processes together, the option those of one.
        if (const YAML::Node tokens = settings["step_tokens"]) {
            const auto processes =
                std::max<std::size_t>(1, settings["processes"].as<std::size_t>(1));
            step_tokens_ = std::to_string(tokens.as<std::size_t>() / processes);
        }
        return {};
    }

    status read_entry(const YAML::Node& key, const YAML::Node& value) {
        if (!key.IsScalar()) return at(key, "the name of a setting is no text");
        const std::string written = key.Scalar();
        std::string name = dashed(written);
        if (is_record_ && std::ranges::find(facts_of_a_run, name) != std::end(facts_of_a_run))
            return {};
        // The record's "ask" are the asks that auto chose.
        if (is_record_ && name == "ask-option") name = "ask";
        const std::string subject = '"' + written + '"';
        if (!value.IsScalar() && !value.IsNull())
            return at(key, subject + " is a list or a mapping: a setting has one value");
        // A record has "" for a path that was not given.
        const bool is_unset = value.IsNull() || (is_record_ && value.Scalar().empty());
        std::string text = is_unset ? "" : value.Scalar();
        if (is_record_ && name == "step-tokens") text = step_tokens_;

        if (const option* o = program_.find(name)) {
            if (program_.config == target_of(*o))
                return at(key, subject + " cannot stand in a config file");
            if (is_unset) return {};
            if (!std::holds_alternative<bool*>(o->target)) return add(key, *o, text);
            const auto truth = truth_of(text);
            return truth ? add_flag(key, *o, *truth) : no_truth(key, text);
        }
        if (const option* o = program_.find("no-" + name);
            o && std::holds_alternative<bool*>(o->target)) {
            if (is_unset) return {};
            const auto truth = truth_of(text);
            return truth ? add_flag(key, *o, !*truth) : no_truth(key, text);
        }
        if (name == "lr-scheduler-type" || name == "finetuning-type" || name == "warmup-ratio")
            return is_unset ? status::ok() : read_foreign_value(key, name, text);
        if (std::ranges::find(names_without_effect, name) != std::end(names_without_effect))
            return {};
        for (const foreign_name& foreign : foreign_names())
            if (foreign.name == name) return is_unset ? status::ok() : judge(key, foreign, text);
        return at(key, subject + " is no setting of " + program_.name + suggestion(written));
    }

    // Names of LLaMA-Factory with values that an option has under other words.
    status read_foreign_value(const YAML::Node& key, const std::string& name,
                              const std::string& text) {
        const std::string refused = '"' + key.Scalar() + ": " + text + "\" means nothing here: ";
        if (name == "lr-scheduler-type") {
            const option& schedule = *program_.find("schedule");
            if (text == "cosine" || text == "linear") return add(key, schedule, text);
            if (text == "constant_with_warmup") return add(key, schedule, "constant");
            if (text == "constant")
                return at(key, refused +
                                   "transformers has no warm-up then; use schedule: constant, and "
                                   "warmup: 0");
            return at(key, refused + "use schedule: cosine, linear or constant");
        }
        if (name == "finetuning-type") {
            if (text == "lora") return {};
            if (text == "full") return add_flag(key, *program_.find("full"), true);
            return at(key, refused + "cuset-train has lora and full");
        }
        const auto share = number_of(text);
        if (!share || !(*share >= 0 && *share < 1))
            return at(key, refused + "a share is below 1; use warmup, a number of steps");
        return add(key, *program_.find("warmup"), text);
    }

    status judge(const YAML::Node& key, const foreign_name& foreign, const std::string& text) {
        const auto same = [&](std::string_view value) { return is_same(text, value); };
        if (std::ranges::any_of(foreign.values, same)) return {};
        std::string message = '"' + key.Scalar();
        message += foreign.values.empty() ? "\" has no counterpart in cuset-train"
                                          : ": " + text + "\" cannot be had in cuset-train";
        if (!foreign.advice.empty()) message += "; " + std::string(foreign.advice);
        return at(key, message);
    }

    status no_truth(const YAML::Node& key, const std::string& text) const {
        return at(key, '"' + key.Scalar() + "\": '" + text + "' is neither true nor false");
    }

    status add(const YAML::Node& key, const option& o, const std::string& text) {
        if (const status good = check_value(o, text); !good)
            return at(key, '"' + key.Scalar() + "\": " + good.message());
        return add_word(key, o, "--" + o.name + '=' + text);
    }

    status add_flag(const YAML::Node& key, const option& o, bool truth) {
        return add_word(key, o, "--" + o.name + (truth ? "" : "=false"));
    }

    status add_word(const YAML::Node& key, const option& o, std::string word) {
        const int line = key.Mark().line + 1;
        const auto [before, is_new] = lines_.emplace(o.name, line);
        if (!is_new)
            return at(key, '"' + key.Scalar() + "\" sets --" + o.name + ", as line " +
                               std::to_string(before->second) + " does");
        words_.push_back(std::move(word));
        return {};
    }

    // Names a similar setting, in the way that the wrong name is written.
    std::string suggestion(const std::string& written) const {
        const bool with_dashes = written.find('-') != written.npos;
        word_list names = {"lr_scheduler_type", "finetuning_type", "warmup_ratio"};
        for (const option& o : program_.options) {
            names.push_back(o.name);
            names.insert(names.end(), o.aliases.begin(), o.aliases.end());
        }
        for (std::string& name : names)
            std::replace(name.begin(), name.end(), with_dashes ? '_' : '-',
                         with_dashes ? '-' : '_');
        return did_you_mean(written, names);
    }

    static const std::string* target_of(const option& o) {
        const auto* text = std::get_if<std::string*>(&o.target);
        return text ? *text : nullptr;
    }

    const program& program_;
    std::string path_;
    bool is_record_ = false;
    std::string step_tokens_;
    std::vector<std::string> words_;
    std::map<std::string, int> lines_;  // of the options that are set
};

}  // namespace

result<std::vector<std::string>> read_train_config(const program& p, const std::string& path,
                                                   recorded_run& recorded) {
    return config_reader(p, path).read(recorded);
}

}  // namespace cuset
