#include "llamafactory.h"

#include <simdjson.h>

#include <algorithm>
#include <filesystem>

#include "cuset/base/fd.h"
#include "cuset/stream/record_columns.h"
#include "flags.h"

namespace cuset {

const std::vector<foreign_name>& foreign_names() {
    static const std::vector<foreign_name> names = {
        {"adam-beta1", {"0.9"}, "it is 0.9 here"},
        {"adam-beta2", {"0.999"}, "it is 0.999 here"},
        {"adam-epsilon", {"1e-8"}, "it is 1e-8 here"},
        {"additional-target"},
        {"asft-alpha", {}, "use beta"},
        {"badam-mode"},
        {"create-new-adapter", {"false"}, "init_adapter goes on with an adapter"},
        {"deepspeed",
         {},
         "several processes train as one by torchrun, and --shard-base shares the base"},
        {"default-system", {}, "use system: FILE"},
        {"do-predict", {"false"}},
        {"do-train", {"true"}},
        {"dpo-label-smoothing", {}, "use label_smoothing"},
        {"early-stopping-steps", {}, "use patience, which keeps the best weights"},
        {"enable-thinking", {}, "template: qwen3, qwen3_nothink or lf:qwen3 decides it"},
        {"eval-dataset", {}, "use eval: FILE"},
        {"fp16", {"false"}, "there are f32 and bf16 alone"},
        {"freeze-trainable-layers"},
        {"group-by-length", {"false"}},
        {"ignore-pad-token-for-loss", {"true"}},
        {"label-smoothing-factor", {"0"}},
        {"load-best-model-at-end", {"false"}, "use patience"},
        {"logging-strategy", {"steps"}},
        {"lora-bias", {"none"}},
        {"loraplus-lr-ratio"},
        {"lr-scheduler-kwargs"},
        {"mask-history", {"true"}, "the last answer of a conversation alone is trained here"},
        {"mix-strategy"},
        {"neat-packing", {}, "packing never changes the result here"},
        {"neftune-noise-alpha"},
        {"optim", {"adamw_torch", "adamw_torch_fused"}, "AdamW is the only optimiser"},
        {"packing", {"false"}, "use step_tokens, which fills a step with whole samples"},
        {"pissa-init", {"false"}},
        {"pref-bco-weight", {"0"}},
        {"pref-beta", {}, "use beta"},
        {"pref-ftx", {"0"}},
        {"pref-loss", {"sigmoid"}, "objective: dpo has the sigmoid loss"},
        {"pure-bf16", {}, "use dtype: bf16"},
        {"quantization-bit", {}, "use quantize: nf4 or int8"},
        {"ref-model"},
        {"ref-model-adapters"},
        {"resize-vocab", {"false"}},
        {"resume-from-checkpoint", {}, "use resume, or resume_from: DIR"},
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
    };
    return names;
}

namespace {

// (Nothing of a model folder is run here, and a folder with a run is not overwritten.)
constexpr std::string_view names_without_effect[] = {"cache-dir",
                                                     "dataloader-num-workers",
                                                     "dataloader-persistent-workers",
                                                     "dataloader-pin-memory",
                                                     "ddp-find-unused-parameters",
                                                     "ddp-timeout",
                                                     "disable-gradient-checkpointing",
                                                     "do-eval",
                                                     "enable-liger-kernel",
                                                     "eval-accumulation-steps",
                                                     "eval-on-start",
                                                     "flash-attn",
                                                     "hf-hub-token",
                                                     "include-num-input-tokens-seen",
                                                     "infer-dtype",
                                                     "log-level",
                                                     "logging-dir",
                                                     "logging-first-step",
                                                     "low-cpu-mem-usage",
                                                     "metric-for-best-model",
                                                     "ms-hub-token",
                                                     "om-hub-token",
                                                     "overwrite-cache",
                                                     "overwrite-output-dir",
                                                     "per-device-eval-batch-size",
                                                     "plot-loss",
                                                     "prediction-loss-only",
                                                     "preprocessing-batch-size",
                                                     "preprocessing-num-workers",
                                                     "remove-unused-columns",
                                                     "report-to",
                                                     "run-name",
                                                     "save-only-model",
                                                     "save-safetensors",
                                                     "tf32",
                                                     "trust-remote-code",
                                                     "use-cache",
                                                     "use-fast-tokenizer",
                                                     "use-reentrant-gc",
                                                     "use-unsloth",
                                                     "use-unsloth-gc"};

/// The file of the data set `name` of dataset_info.json in `folder`.
result<std::string> file_of(const std::filesystem::path& folder, const std::string& name) {
    const std::string info = (folder / "dataset_info.json").string();
    CUSET_ASSIGN(const std::string text, read_whole_file(info));
    simdjson::dom::parser parser;
    simdjson::dom::object set;
    // simdjson would copy an empty text from null.
    if (text.empty() || parser.parse(text).at_key(name).get(set) != simdjson::SUCCESS)
        return usage_error(info + " has no data set \"" + name + '"');
    for (const auto [key, value] : set) {
        const bool is_part = key == "split" || key == "subset" || key == "num_samples";
        std::string_view split;
        if (is_part && !value.is_null() && (value.get(split) || split != "train"))
            return usage_error(info + ": " + name + ": \"" + std::string(key) +
                               "\" takes a part of the data set, which is not done here");
    }
    std::string_view file;
    if (set["file_name"].get(file))
        return usage_error(info + ": " + name +
                           " has no \"file_name\": nothing is downloaded here");
    return (folder / file).string();
}

}  // namespace

bool is_without_effect(std::string_view name) {
    return std::ranges::find(names_without_effect, name) != std::end(names_without_effect);
}

result<data_set_files> find_data_sets(const std::string& names, const std::string& folder) {
    data_set_files found;
    std::optional<record_columns> columns;
    for (const std::string& name : names_in(names)) {
        CUSET_ASSIGN(std::string file, file_of(folder, name));
        const std::string place =
            (std::filesystem::path(folder) / "dataset_info.json").string() + ':' + name;
        CUSET_ASSIGN(record_columns own, read_record_columns(place));
        if (columns && own != *columns)
            return usage_error("\"" + names +
                               "\": the data sets have different columns; train on "
                               "one, or bring them into one form");
        if (!columns) found.columns = place;
        columns = std::move(own);
        found.files.push_back(std::move(file));
    }
    return found;
}

}  // namespace cuset
