#include "model_flags.h"

#include <simdjson.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "cuset/base/fd.h"
#include "cuset/base/format.h"
#include "cuset/base/log.h"
#include "cuset/model/config.h"
#include "tool.h"

namespace cuset {

namespace {

/// The template that cuset-train recorded for an adapter; empty if it did not make the adapter.
std::string recorded_template(const std::filesystem::path& adapter) {
    std::error_code ignored;
    // "out/checkpoint-5/" and "." have no name of their own.
    const auto folder = std::filesystem::weakly_canonical(adapter, ignored);
    const bool is_checkpoint = folder.filename().string().starts_with("checkpoint-");
    const auto text = read_whole_file((is_checkpoint ? folder.parent_path() : folder) / "run.json");
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    std::string_view name;
    if (!text || parser.parse(*text).get(root) || root["settings"]["template"].get(name)) return {};
    return std::string(name);
}

word_list template_names() {
    word_list names = chat_template::names();
    names.insert(names.begin(), "auto");
    return names;
}

}  // namespace

void add_torch_variables(program& p) {
    p.environment.emplace_back("CUSET_TORCH_LIB",
                               "The folder torch/lib of the LibTorch to run with, for an installed "
                               "program. By default it is "
                               "that of the Python environment that cuset is installed in.");
}

void add_model_flags(program& p, model_flags& flags) {
    p.add({
        {0, "model", "DIR", "The model folder; the default is in CUSET_MODEL.", &flags.model,
         value_kind::folder},
        {0, "template", "NAME",
         "The chat template. auto takes the model folder's own, and the first line on standard "
         "error names it. Those that begin with lf: are LLaMA-Factory's, with which the paper "
         "trained: they differ in DeepSeek-Coder's and SmolLM2's system prompts, and an empty "
         "thought of Qwen3 and the newline before DeepSeek-Coder's answers count in their loss.",
         &flags.chat, template_names()},
        {0, "dtype", "TYPE",
         "The type to compute in. auto is bf16 for weights stored as bfloat16, else f32.",
         &flags.dtype, one_of("auto", "f32", "bf16")},
        {0, "device", "DEVICE", "auto, cpu, cuda or cuda:N. auto takes a GPU if there is one.",
         &flags.device},
    });
    p.exit_codes.push_back({4, "This device, model or tokenizer cannot run here."});
    p.environment.emplace_back("CUSET_MODEL", "The model folder if --model is not given.");
    add_torch_variables(p);
    p.environment.emplace_back(
        "CUSET_KERNELS",
        "Which build of the CPU kernels runs: portable, avx2, avx512, avx512_bf16 "
        "or amx; by default the widest that the processor supports. -V shows it.");
    p.environment.emplace_back(
        "GOMP_SPINCOUNT, OMP_WAIT_POLICY",
        "How OpenMP's threads wait for each other on a CPU. Where neither is set, they spin 10000 "
        "times and then sleep, so that programs side by side share the cores.");
    p.environment.emplace_back(
        "CUSET_PRODUCTS",
        "Who computes matrix products on a CPU: mkl, or own, cuset's kernels "
        "for the same. By default the faster, which is measured once on a "
        "machine and kept in $XDG_CACHE_HOME/cuset. -V shows it.");
}

void add_pair_flags(program& p, model_flags& flags) {
    p.add({
        {0, "max-tokens", "N",
         "Cuts longer pairs, prompt and response each from its end, as LLaMA-Factory does.",
         &flags.max_tokens, between(2, 1 << 24)},
    });
    add_field_flags(p, flags.fields);
}

void add_quantise_flag(program& p, model_flags& flags, std::string_view more) {
    p.options.push_back(
        {0, "quantize", "TYPE",
         "Keep the decoder's linear layers in 4 bits (nf4, in blocks of 64 with double "
         "quantisation) or 8 (int8, by rows), as bitsandbytes does: a quarter or half of the "
         "memory, for a model that is a little another one. They are quantised while the model is "
         "read, and dequantised to --dtype for each product. Embeddings and head stay, and so "
         "does what an adapter holds. A folder that transformers stored in nf4 (load_in_4bit) runs "
         "so "
         "without this option, with its own codes. On a GPU it saves memory, not time." +
             std::string(more),
         &flags.quantise, one_of("none", "nf4", "int8")});
}

void add_adapter_flag(program& p, std::string& adapter) {
    p.options.push_back(
        {0, "adapter", "DIR",
         "A LoRA adapter as peft writes it. A warning says if cuset-train trained it with another "
         "chat template than the one that is used now; --template chooses.",
         &adapter, value_kind::folder});
}

compute_type to_compute_type(const model_flags& flags) {
    if (flags.dtype == "f32") return compute_type::f32;
    return flags.dtype == "bf16" ? compute_type::bf16 : compute_type::automatic;
}

quantisation to_quantisation(const model_flags& flags) {
    if (flags.quantise == "nf4") return quantisation::nf4;
    return flags.quantise == "int8" ? quantisation::int8 : quantisation::none;
}

model_options to_model_options(const model_flags& flags, const stream_flags& stream,
                               const std::string& adapter) {
    model_options options;
    options.dtype = to_compute_type(flags);
    options.device = flags.device;
    options.threads = static_cast<int>(stream.threads);
    if (!adapter.empty()) options.adapter = adapter;
    options.quantise = to_quantisation(flags);
    return options;
}

result<text_model> open_text_model(const model_flags& flags, const std::string& adapter) {
    std::string folder = flags.model;
    if (const char* variable = std::getenv("CUSET_MODEL"); folder.empty() && variable)
        folder = variable;
    if (folder.empty()) return usage_error("no model: give --model DIR or set CUSET_MODEL");
    if (std::error_code ignored; !std::filesystem::exists(folder, ignored))
        return data_error(folder +
                          ": No such file or directory (a model is a folder on this machine: "
                          "nothing is downloaded)");
    // The folder is checked first, so that the error names a missing folder or another kind of
    // model.
    CUSET_TRY(check_model_folder(folder));
    CUSET_ASSIGN(const chat_template chat, flags.chat == "auto"
                                               ? chat_template::detect(folder)
                                               : chat_template::by_name(flags.chat));
    CUSET_ASSIGN(tokenizer words,
                 tokenizer::load(std::filesystem::path(folder) / "tokenizer.json"));
    const std::string trained = adapter.empty() ? "" : recorded_template(adapter);
    if (!trained.empty() && trained != chat.name())
        log(log_level::warning, adapter + " was trained with the template " + trained + ", and " +
                                    std::string(chat.name()) + " is used: --template " + trained +
                                    " takes the other");
    return text_model{folder, chat, std::move(words)};
}

void tell_notes(const std::vector<std::string>& notes) {
    for (const auto& note : notes) log(log_level::warning, note);
}

void tell_cuts(const model_flags& flags, std::uint64_t prompts, std::uint64_t responses,
               const std::string& first) {
    const std::string limit = " --max-tokens " + std::to_string(flags.max_tokens);
    if (responses > 0)
        log(log_level::note, "cut off by" + limit + ": the end of " +
                                 counted(responses, "response") + " (the first: " + first + ')');
    if (prompts > 0)
        log(log_level::note, "cut off by" + limit + ": the end of " + counted(prompts, "prompt"));
}

}  // namespace cuset
