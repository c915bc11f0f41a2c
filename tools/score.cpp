// cuset-score: pairs -> pairs with the model's confidence in every token of the response.
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdlib>

#include "cuset/base/log.h"
#include "cuset/model/causal_lm.h"
#include "cuset/model/library_versions.h"
#include "cuset/stream/json_text.h"
#include "cuset/stream/library_versions.h"
#include "cuset/text/chat_template.h"
#include "cuset/text/encoded_pair.h"
#include "cuset/text/tokenizer.h"
#include "tool.h"

namespace {

using namespace cuset;

struct score_flags {
    stream_flags stream;
    std::string model;
    std::string adapter;
    std::string chat = "auto";
    std::string dtype = "auto";
    std::string device = "auto";
    std::int64_t max_tokens = 4096;
    std::string prompt_field, response_field;
};

program describe(score_flags& flags) {
    program p = new_program("cuset-score", "score a model's confidence in every token of a reply");
    p.description = {
        "Reads prompt/response pairs and adds to each the probability that a language model gives "
        "to every token of the response, given the prompt and the tokens before it, at temperature "
        "1: \"score\":{\"model\",\"end\":[...],\"id\":[...],\"confidence\":[...]}. end[i] is the "
        "byte of the response where token i ends; the chat template's end marker is scored too and "
        "has no bytes. A response that had to be cut has \"cut\", the number of tokens left out.",
        "The model is a Hugging Face folder (config.json, safetensors, tokenizer.json) of a Llama, "
        "Qwen2 or Qwen3 architecture. What is not supported is refused by name. "
        "Accepted pairs: prompt and response, messages (OpenAI), conversations (ShareGPT), "
        "instruction/input/output (Alpaca), CUDABench tasks. Of a conversation the last assistant "
        "turn is the response, and all before it the prompt.",
    };
    p.options = {
        {0,
         "model",
         "DIR",
         "The model folder; without it, that in CUSET_MODEL.",
         &flags.model,
         {},
         0,
         0,
         value_kind::folder},
        {0,
         "adapter",
         "DIR",
         "A LoRA adapter as peft writes it.",
         &flags.adapter,
         {},
         0,
         0,
         value_kind::folder},
        {0,
         "template",
         "NAME",
         "The chat template; auto takes the model folder's.",
         &flags.chat,
         {"auto", "chatml", "smollm", "qwen", "qwen3", "qwen3_nothink", "deepseek-coder",
          "seed-coder", "llama3", "none"}},
        {0,
         "dtype",
         "TYPE",
         "What to compute in. auto is bf16 for weights stored as bfloat16, else f32.",
         &flags.dtype,
         {"auto", "f32", "bf16"}},
        {0, "device", "DEVICE", "auto, cpu, cuda or cuda:N. auto takes a GPU if there is one.",
         &flags.device},
        {0,
         "max-tokens",
         "N",
         "Longer pairs are cut, prompt and response each from its end, as LLaMA-Factory does.",
         &flags.max_tokens,
         {},
         2,
         1 << 24},
        {0, "prompt-field", "NAME",
         "The top-level field that holds the prompt. Records are then prompt and response, also "
         "where "
         "they have a conversation.",
         &flags.prompt_field},
        {0, "response-field", "NAME", "The top-level field that holds the response.",
         &flags.response_field},
    };
    add_stream_flags(p, flags.stream);
    p.build_details = [] { return stream_library_versions() + model_library_versions(); };
    p.exit_codes.push_back({4, "This device, model or tokenizer cannot run here."});
    p.environment.emplace_back("CUSET_MODEL", "The model folder where --model is not given.");
    p.examples = {
        {"cuset-tag pairs.jsonl | cuset-score | cuset-window | sort -n | head",
         "The ten regions where the model is least sure."},
        {"cuset-score --plain pairs.jsonl | jq -c '[.id, (.score.confidence | min)]'",
         "The least likely token of each response."},
        {"cuset-score --shard 0/4 pairs.jsonl -o part0.jsonl.zst",
         "The first of four parts of the work, as for a Slurm array."},
    };
    p.see_also = {"cuset-tag", "cuset-window"};
    return p;
}

// What had to be cut, told once at the end.
struct cut_count {
    std::uint64_t prompts = 0, responses = 0;
    std::string first_response;
};

std::string counted(std::uint64_t count, std::string_view what) {
    return std::to_string(count) + ' ' + std::string(what) + (count == 1 ? "" : "s");
}

class score_worker final : public record_worker {
public:
    score_worker(causal_lm model, tokenizer words, chat_template chat, std::size_t max_tokens,
                 cut_count& cuts)
        : model_(std::move(model)),
          tokenizer_(std::move(words)),
          chat_(chat),
          max_tokens_(max_tokens),
          cuts_(cuts) {}

    // Enough lines for a forward pass at full speed: a token is about four bytes of JSON.
    std::size_t batch_bytes() const override { return 4 * model_.preferred_batch_tokens(); }

    void process(std::span<pair_record> records, std::span<record_outcome> outcomes) override {
        pairs_.assign(records.size(), {});
        requests_.clear();
        for (std::size_t i = 0; i < records.size(); ++i) {
            outcomes[i].error = encode(records[i], pairs_[i]);
            if (outcomes[i].error.is_ok())
                requests_.push_back({pairs_[i].ids, pairs_[i].prompt_length});
        }
        const status scored = model_.log_probabilities(requests_, replies_);
        std::size_t next = 0;
        for (std::size_t i = 0; i < records.size(); ++i) {
            if (!outcomes[i].error.is_ok()) continue;
            outcomes[i].error = scored;
            if (!scored.is_ok()) continue;
            const scoring_reply& reply = replies_[next++];
            outcomes[i].error = reply.error;
            if (!reply.error.is_ok()) continue;
            append(records[i], pairs_[i], reply.log_probability, outcomes[i]);
        }
    }

private:
    status encode(const pair_record& record, encoded_pair& pair) {
        messages_.clear();
        for (const chat_turn& turn : record.conversation)
            messages_.push_back({turn.role, turn.content});
        CUSET_TRY(encode_pair(tokenizer_, chat_, messages_, record.response, max_tokens_, pair));
        if (pair.prompt_cut > 0) ++cuts_.prompts;
        if (pair.response_cut > 0 && cuts_.responses++ == 0) cuts_.first_response = record.id;
        return {};
    }

    void append(const pair_record& record, const encoded_pair& pair,
                std::span<const float> log_probability, record_outcome& outcome) {
        value_ = "{\"model\":";
        append_json_string(model_.name(), value_);
        value_ += ",\"end\":[";
        for (const std::size_t end : pair.ends) append_item(end);
        value_ += "],\"id\":[";
        for (std::size_t i = pair.prompt_length; i < pair.ids.size(); ++i)
            append_item(static_cast<std::size_t>(pair.ids[i]));
        value_ += "],\"confidence\":[";
        for (const float log_p : log_probability) {
            if (value_.back() != '[') value_ += ',';
            // The least that a reader's double holds stands for anything below it: never 0.
            append_number(std::max(std::exp(static_cast<double>(log_p)), DBL_MIN), 6, value_);
        }
        value_ += ']';
        if (pair.response_cut > 0) {
            value_ += ",\"cut\":";
            append_number(pair.response_cut, value_);
        }
        value_ += '}';
        splice(record, "score", value_, outcome.lines);
        outcome.units = pair.ids.size();
    }

    void append_item(std::size_t number) {
        if (value_.back() != '[') value_ += ',';
        append_number(number, value_);
    }

    causal_lm model_;
    tokenizer tokenizer_;
    chat_template chat_;
    std::size_t max_tokens_;
    cut_count& cuts_;
    std::vector<encoded_pair> pairs_;
    std::vector<scoring_request> requests_;
    std::vector<scoring_reply> replies_;
    std::vector<chat_message> messages_;
    std::string value_;
};

made_worker load_worker(const score_flags& flags, cut_count& cuts) {
    std::string folder = flags.model;
    if (const char* variable = std::getenv("CUSET_MODEL"); folder.empty() && variable)
        folder = variable;
    if (folder.empty()) return usage_error("no model: give --model DIR or set CUSET_MODEL");

    model_options options;
    options.dtype = flags.dtype == "f32"    ? compute_type::f32
                    : flags.dtype == "bf16" ? compute_type::bf16
                                            : compute_type::automatic;
    options.device = flags.device;
    options.threads = static_cast<int>(flags.stream.threads);
    if (!flags.adapter.empty()) options.adapter = flags.adapter;
    // First, so that a folder that is missing, or of another kind of model, is told as such.
    CUSET_TRY(check_model_folder(folder));
    CUSET_ASSIGN(const chat_template chat, flags.chat == "auto"
                                               ? chat_template::detect(folder)
                                               : chat_template::by_name(flags.chat));
    CUSET_ASSIGN(tokenizer words,
                 tokenizer::load(std::filesystem::path(folder) / "tokenizer.json"));
    CUSET_ASSIGN(causal_lm model, causal_lm::load(folder, options));
    log(log_level::note, model.name() + ", " + model.compute_description() + ", template " +
                             std::string(chat.name()));
    return made_worker(std::make_unique<score_worker>(std::move(model), std::move(words), chat,
                                                      static_cast<std::size_t>(flags.max_tokens),
                                                      cuts));
}

result<stream_summary> score(const score_flags& flags) {
    stream_options stream = to_stream_options(flags.stream, output_form::records);
    // The model has the threads; records only wait for it.
    stream.threads = 1;
    stream.unit = "tokens";
    stream.flush_batches = true;

    cut_count cuts;
    auto summary = filter_records(stream,
                                  {.parts = record_part::response | record_part::prompt,
                                   .own_key = "score",
                                   .prompt_field = flags.prompt_field,
                                   .response_field = flags.response_field},
                                  [&] { return load_worker(flags, cuts); });
    const std::string limit = " --max-tokens " + std::to_string(flags.max_tokens);
    if (cuts.responses > 0)
        log(log_level::warning, "cut off by" + limit + ": the end of " +
                                    counted(cuts.responses, "response") +
                                    " (the first: " + cuts.first_response + ')');
    if (cuts.prompts > 0)
        log(log_level::warning,
            "cut off by" + limit + ": the end of " + counted(cuts.prompts, "prompt"));
    return summary;
}

}  // namespace

int main(int argc, char** argv) {
    score_flags flags;
    program p = describe(flags);
    return run_tool(p, flags.stream, argc, argv, {.run = [&] { return score(flags); }});
}
