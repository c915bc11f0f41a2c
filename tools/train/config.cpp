#include "config.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <optional>
#include <string_view>

#include "cuset/base/fd.h"
#include "cuset/base/log.h"
#include "cuset/cli/suggestion.h"
#include "cuset/text/chat_template.h"
#include "llamafactory.h"

namespace cuset {

namespace {

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

    result<std::vector<std::string>> read(config_facts& facts) {
        CUSET_ASSIGN(const std::string text, read_whole_file(path_));
        try {
            const std::vector<YAML::Node> documents = YAML::LoadAll(text);
            if (documents.empty() || documents[0].IsNull()) return words_;
            if (documents.size() > 1) return at(documents[1], "a second document");
            const YAML::Node& root = documents[0];
            if (!root.IsMap()) return at(root, "no settings: a line of them is NAME: VALUE");
            const YAML::Node settings = root["settings"];
            is_record_ = settings && settings.IsMap();
            if (is_record_) CUSET_TRY(read_facts(root, facts));
            for (const auto& entry : is_record_ ? settings : root)
                refuse_later(read_entry(entry.first, entry.second));
            take_data_sets(facts);
            refuse_later(take_evaluations());
            if (!refused_) return refused_;
            facts.note = note();
            facts.has_stage = has_stage_;
        } catch (const YAML::Exception& error) {
            if (!refused_) log(log_level::warning, refused_.message());
            return usage_error(path_ + ':' + std::to_string(error.mark.line + 1) + ": " +
                               error.msg);
        }
        return words_;
    }

private:
    status at(int line, const std::string& message) const {
        return usage_error(path_ + ':' + std::to_string(line) + ": " + message);
    }
    status at(const YAML::Node& node, const std::string& message) const {
        return at(node.Mark().line + 1, message);
    }

    // All that is wrong is said at once, a line each, so that a file of another program is not
    // mended line by line. The last is the error.
    void refuse_later(status read) {
        if (read) return;
        if (!refused_) log(log_level::warning, refused_.message());
        refused_ = std::move(read);
    }

    status read_facts(const YAML::Node& root, config_facts& facts) {
        const YAML::Node settings = root["settings"];
        facts.data_hash = settings["data_hash"].as<std::string>("");
        facts.model_hash = settings["model_hash"].as<std::string>("");
        facts.was_extended = root["extended_at"].IsDefined();
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
            if (o->name == "template") text = template_of(text);
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
        if (is_unset) text.clear();
        if (name == "evaluation-strategy") name = "eval-strategy";
        if (const auto found = own_.find(name); found != own_.end()) {
            if (is_unset) return {};
            if (!found->second.text.empty())
                return at(key, subject + " stands in line " + std::to_string(found->second.line) +
                                   " already");
            found->second = {written, text, key.Mark().line + 1};
            return {};
        }
        if (name == "lr-scheduler-type" || name == "finetuning-type" || name == "warmup-ratio" ||
            name == "bf16" || name == "gradient-checkpointing")
            return is_unset ? status::ok() : read_foreign_value(key, name, text);
        if (is_without_effect(name)) {
            if (!is_unset) tell_ignored(written);
            return {};
        }
        for (const foreign_name& foreign : foreign_names())
            if (foreign.name == name) return is_unset ? status::ok() : judge(key, foreign, text);
        return at(key, subject + " is no setting of " + program_.name + suggestion(written));
    }

    // Names of LLaMA-Factory with values that an option has under other words.
    status read_foreign_value(const YAML::Node& key, const std::string& name,
                              const std::string& text) {
        const std::string refused = '"' + key.Scalar() + ": " + text + "\" means nothing here: ";
        if (name == "bf16" || name == "gradient-checkpointing") {
            const auto truth = truth_of(text);
            if (!truth) return no_truth(key, text);
            if (!*truth) return {};
            const bool is_type = name == "bf16";
            tell_taken(key.Scalar() + (is_type ? " as dtype: bf16" : " as recompute"));
            return is_type ? add(key, *program_.find("dtype"), "bf16")
                           : add_flag(key, *program_.find("recompute"), true);
        }
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
        if (foreign.name == "stage") has_stage_ = true;
        if (std::ranges::any_of(foreign.values, same)) return {};
        std::string message = '"' + key.Scalar();
        message += foreign.values.empty() ? "\" has no counterpart in cuset-train"
                                          : ": " + text + "\" cannot be had in cuset-train";
        if (!foreign.advice.empty()) message += "; " + std::string(foreign.advice);
        return at(key, message);
    }

    // LLaMA-Factory's own form, where the name means nothing else here.
    std::string template_of(const std::string& text) {
        const std::string theirs = "lf:" + text;
        if (text == "auto" || chat_template::by_name(text) || !chat_template::by_name(theirs))
            return text;
        tell_taken("template " + text + " as " + theirs);
        return theirs;
    }

    /// They are looked for when it is known that the command line names no file.
    void take_data_sets(config_facts& facts) {
        const foreign_value& names = own_["dataset"];
        if (names.text.empty()) return;
        const std::string& folder = own_["dataset-dir"].text;
        facts.data_sets = names.text;
        facts.data_folder = folder.empty() ? "data" : folder;
        facts.data_place = path_ + ':' + std::to_string(names.line) + ": ";
    }

    // transformers evaluates by steps only where eval_strategy says so.
    status take_evaluations() {
        const foreign_value &strategy = own_["eval-strategy"], &steps = own_["eval-steps"];
        if (strategy.text == "steps" && !steps.text.empty()) {
            tell_taken("eval_steps as eval_every");
            return add_at(steps.line, steps.name, *program_.find("eval-every"), steps.text);
        }
        if (!steps.text.empty()) tell_ignored(steps.name);
        if (strategy.text.empty() || strategy.text == "epoch" || strategy.text == "steps")
            return {};
        if (truth_of(strategy.text) == false || strategy.text == "no") {
            tell_ignored(strategy.name);
            return {};
        }
        return at(strategy.line, '"' + strategy.name + ": " + strategy.text +
                                     "\" means nothing here: use eval_every");
    }

    void tell_taken(const std::string& what) { taken_ += (taken_.empty() ? "" : "; ") + what; }
    void tell_ignored(const std::string& what) {
        ignored_ += (ignored_.empty() ? "" : ", ") + what;
    }

    std::string note() const {
        std::string text;
        if (!taken_.empty()) text += ": takes " + taken_;
        if (!ignored_.empty())
            text += (text.empty() ? ": " : "; ") + ("no result depends on " + ignored_);
        return text.empty() ? text : path_ + text;
    }

    status no_truth(const YAML::Node& key, const std::string& text) const {
        return at(key, '"' + key.Scalar() + "\": '" + text + "' is neither true nor false");
    }

    status add(const YAML::Node& key, const option& o, const std::string& text) {
        return add_at(key.Mark().line + 1, key.Scalar(), o, text);
    }

    status add_at(int line, const std::string& name, const option& o, const std::string& text) {
        if (const status good = check_value(o, text); !good)
            return at(line, '"' + name + "\": " + good.message());
        return add_word(line, name, o, "--" + o.name + '=' + text);
    }

    status add_flag(const YAML::Node& key, const option& o, bool truth) {
        return add_word(key.Mark().line + 1, key.Scalar(), o,
                        "--" + o.name + (truth ? "" : "=false"));
    }

    status add_word(int line, const std::string& name, const option& o, std::string word) {
        const auto [before, is_new] = lines_.emplace(o.name, line);
        if (!is_new)
            return at(line, '"' + name + "\" sets --" + o.name + ", as line " +
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

    struct foreign_value {
        std::string name, text;
        int line = 0;
    };

    const program& program_;
    std::string path_;
    bool is_record_ = false;
    // Those that decide something together, once all are read.
    std::map<std::string, foreign_value> own_{
        {"dataset", {}}, {"dataset-dir", {}}, {"eval-strategy", {}}, {"eval-steps", {}}};
    status refused_;
    std::string taken_, ignored_;
    bool has_stage_ = false;
    std::string step_tokens_;
    std::vector<std::string> words_;
    std::map<std::string, int> lines_;  // of the options that are set
};

}  // namespace

result<std::vector<std::string>> read_train_config(const program& p, const std::string& path,
                                                   config_facts& facts) {
    return config_reader(p, path).read(facts);
}

}  // namespace cuset
