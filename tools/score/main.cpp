// cuset-score: pairs -> pairs with the model's confidence in every token of the response.
#include "ask_flags.h"
#include "cuset/base/log.h"
#include "cuset/endpoint/library_versions.h"
#include "cuset/model/causal_lm.h"
#include "cuset/model/library_versions.h"
#include "cuset/stream/json_writer.h"
#include "cuset/stream/library_versions.h"
#include "cuset/stream/score_value.h"
#include "cuset/text/encoded_pair.h"
#include "model_flags.h"
#include "server.h"
#include "shared_base_flags.h"
#include "tool.h"

namespace {

using namespace cuset;

struct score_flags : endpoint_flags {
    stream_flags stream;
    model_flags model;
    ask_flags ask;
    std::string adapter;
    bool shard_base = false;
    std::string resume;

    server_score_flags at_server(const ask_options& asked) const {
        return {*this, model, asked, resume};
    }
};

program describe(score_flags& flags) {
    program p = new_program("cuset-score", "score a model's confidence in every token of a reply");
    p.description = paragraphs(R"(
Reads prompt/response pairs and adds to each the probability that a language model gives to every
token of the response, given the prompt and the tokens before it, at temperature 1:
"score":{"model","end":[...],"id":[...],"confidence":[...]}. end[i] is the byte of the response
where token i ends. The chat template's end marker is scored too and has no bytes. If a response
had to be cut, "cut" is the number of tokens left out.

The model is a Hugging Face folder (config.json, safetensors, tokenizer.json) of a Llama, Qwen2 or
Qwen3 architecture. Whatever is not supported is refused by name. Accepted pairs: prompt and
response, messages (OpenAI), conversations (ShareGPT), instruction/input/output (Alpaca),
CUDABench tasks. In a conversation the last assistant turn is the response, and all turns before
it are the prompt. A task's prompt is what cuset-sample asks (--ask).

With --endpoint a server computes the probabilities. With --template NAME the pair is rendered
here and sent as one text to the completions API, with echo and logprobs and vLLM's
prompt_logprobs; with --template auto the conversation goes to vLLM's chat completions twice,
without the response and with it. Bytes tell where tokens end, also where a server shows a part of
a character as U+FFFD or as "bytes:\xe2". The server encodes prompt and response together: a pair
in which one token crosses from the one into the other is refused, as are texts of tokens that are
not the pair's and answers without probabilities. "id" is there only if the server tells ids.
Nothing is cut: what is too long for the server, it refuses. A request that fails --attempts times
makes its pair a bad record; eight such requests in a row end the run.

Several processes share a model that is larger than the memory of one (--shard-base). torchrun or
mpirun starts them, or anything else that sets RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, and on
several machines LOCAL_RANK and LOCAL_WORLD_SIZE; mpirun's need MASTER_ADDR there too. Each of N
processes keeps an N-th of the linear weights of every decoder layer, and all of the rest; a layer is
gathered when it is computed, and the next one meanwhile. Process 0 alone reads and writes, and deals
passes out to all, eight in a batch or one for each. If a process is lost, the others name it and
end; before all have met they wait for ten minutes. On CPUs, with as many threads each, the
probabilities have the same bits with one to eight processes; without --shard-base a CPU computes in
another order. Two groups on one machine need a MASTER_PORT of their own each.
)");
    add_model_flags(p, flags.model);
    add_quantise_flag(p, flags.model,
                      " The model's name in records has :nf4 or :int8 behind its folder's.");
    add_pair_flags(p, flags.model);
    add_ask_flags(p, flags.ask);
    add_adapter_flag(p, flags.adapter);
    add_shard_base_flag(p, flags.shard_base);
    add_endpoint_flags(p, flags,
                       "Ask a server that tells the probabilities of a prompt's tokens (vLLM, "
                       "SGLang), such as http://localhost:8000/v1. --model is then its name for "
                       "the model; without it, the first that it lists. --template auto takes the "
                       "server's own template, which needs vLLM's prompt_logprobs in chat "
                       "completions, and two requests a pair.",
                       kept_in_scoring);
    p.options.push_back({0, "resume", "FILE",
                         "With --endpoint: keep scores in FILE as they come, as plain text, and "
                         "take from it those that it has, so that an interrupted run continues.",
                         &flags.resume, value_kind::file});
    add_stream_flags(p, flags.stream);
    p.build_details = [] {
        return stream_library_versions() + endpoint_library_versions() + model_library_versions();
    };
    p.examples = {
        {"cuset-tag pairs.jsonl | cuset-score | cuset-window | sort -n | head",
         "The ten regions where the model is least sure."},
        {"cuset-score --plain pairs.jsonl | jq -c '[.id, (.score.confidence | min)]'",
         "The least likely token of each response."},
        {"cuset-tag pairs.jsonl | cuset-score | zstd -dc | jq -c '.response as $r | .score as $s | "
         ".tag.spans[0] as $k | [range(1; $s.end | length) | select($s.end[.] > $k.begin and "
         "$s.end[.] <= $k.end) | [$s.confidence[.], $r[$s.end[.-1]:$s.end[.]]]] | sort | .[:6]'",
         "The six least likely tokens of each first kernel. Offsets count bytes, and jq counts "
         "characters: the same in ASCII."},
        {"cuset-score --shard 0/4 pairs.jsonl -o part0.jsonl.zst",
         "The first of four parts of the work, as for a Slurm array."},
        {"for rank in 0 1; do WORLD_SIZE=2 RANK=$rank MASTER_ADDR=localhost cuset-score "
         "--shard-base "
         "pairs.jsonl -o scored.jsonl.zst & done; wait",
         "Two processes, each with half of the model."},
    };
    p.see_also = {"cuset-tag", "cuset-window", "cuset-ask(5)"};
    return p;
}

// Counts what had to be cut, for one warning at the end.
struct cut_count {
    std::uint64_t prompts = 0, responses = 0;
    std::string first_response;
};

// The model, and the processes that share it.
struct loaded_model {
    process_group processes;
    causal_lm model;
};

class score_worker final : public record_worker {
public:
    score_worker(loaded_model model, bool shares, tokenizer words, chat_template chat, task_ask ask,
                 std::size_t max_tokens, cut_count& cuts)
        : processes_(std::move(model.processes)),
          model_(std::move(model.model)),
          shares_(shares),
          tokenizer_(std::move(words)),
          chat_(chat),
          ask_(std::move(ask)),
          max_tokens_(max_tokens),
          cuts_(cuts) {}

    // Enough lines for a forward pass at full speed: a token is about four bytes of JSON. Where
    // processes share a model, a batch has passes for all of them, and for up to eight as many, so
    // that passes are the same.
    std::size_t batch_bytes() const override {
        const std::size_t passes = shares_ ? std::max<std::size_t>(8, processes_.size()) : 1;
        return 4 * model_.preferred_batch_tokens() * passes;
    }

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
    status encode(pair_record& record, encoded_pair& pair) {
        CUSET_TRY(ask_.apply(record));
        messages_.clear();
        for (const chat_turn& turn : record.conversation)
            messages_.push_back({turn.role, turn.content});
        CUSET_TRY(encode_pair(tokenizer_, chat_, messages_,
                              {record.response, record.before_response, record.after_response},
                              max_tokens_, pair));
        if (pair.prompt_cut > 0) ++cuts_.prompts;
        if (pair.response_cut > 0 && cuts_.responses++ == 0) cuts_.first_response = record.id;
        return {};
    }

    void append(const pair_record& record, const encoded_pair& pair,
                std::span<const float> log_probability, record_outcome& outcome) {
        value_.clear();
        json_writer json(value_);
        begin_score(json, model_.name(), pair.ends, std::span(pair.ids).subspan(pair.prompt_length),
                    log_probability);
        if (pair.response_cut > 0) json.member("cut", pair.response_cut);
        json.end_object();
        splice(record, "score", value_, outcome.lines);
        outcome.units = pair.ids.size();
    }

    process_group processes_;  // before the model, which ends the others' work
    causal_lm model_;
    bool shares_;
    tokenizer tokenizer_;
    chat_template chat_;
    task_ask ask_;
    std::size_t max_tokens_;
    cut_count& cuts_;
    std::vector<encoded_pair> pairs_;
    std::vector<scoring_request> requests_;
    std::vector<scoring_reply> replies_;
    std::vector<chat_message> messages_;
    std::string value_;
};

result<loaded_model> load_model(const score_flags& flags, const process_environment& environment,
                                const text_model& text) {
    auto options = to_model_options(flags.model, flags.stream, flags.adapter);
    share(flags.shard_base, environment, options);
    CUSET_ASSIGN(causal_lm model, causal_lm::load(text.folder, options));
    if (environment.rank == 0) {
        log(log_level::note, model.name() + ", " + model.compute_description() + ", template " +
                                 std::string(text.chat.name()));
        tell_notes(model.notes());
    }
    CUSET_ASSIGN(process_group processes, share_loaded(environment, model));
    return loaded_model{std::move(processes), std::move(model)};
}

// What processes but the first do: they have neither input nor output.
status serve(const score_flags& flags, const process_environment& environment) {
    CUSET_ASSIGN(const text_model text, open_text_model(flags.model, flags.adapter));
    CUSET_ASSIGN(loaded_model loaded, load_model(flags, environment, text));
    return loaded.model.serve();
}

made_worker load_worker(const score_flags& flags, const process_environment& environment,
                        const ask_options& asked, cut_count& cuts) {
    CUSET_ASSIGN(task_ask ask, task_ask::open(asked));
    CUSET_ASSIGN(text_model text, open_text_model(flags.model, flags.adapter));
    CUSET_ASSIGN(loaded_model model, load_model(flags, environment, text));
    return made_worker(std::make_unique<score_worker>(
        std::move(model), flags.shard_base, std::move(text.words), text.chat, std::move(ask),
        static_cast<std::size_t>(flags.model.max_tokens), cuts));
}

result<stream_summary> score(const score_flags& flags) {
    CUSET_ASSIGN(const ask_options asked, to_ask_options(flags.ask, flags.model.fields));
    record_options wanted{.parts = record_part::response,
                          .own_key = "score",
                          .prompt_field = {},
                          .response_field = flags.model.fields.response};
    CUSET_ASSIGN(const process_environment environment,
                 sharing_processes(flags.shard_base, flags.model, flags.endpoint));
    if (flags.ask.show && environment.rank > 0) return stream_summary{};
    if (flags.ask.show) return show_first(flags.stream, flags.stream.output, wanted, asked);
    complete(wanted, asked);
    const server_score_flags at_server = flags.at_server(asked);
    CUSET_TRY(check(at_server));
    stream_options stream = to_stream_options(flags.stream, output_form::records);
    // The model has the threads; records only wait for it.
    stream.threads = 1;
    stream.unit = "tokens";
    stream.flush_batches = true;

    if (!flags.endpoint.empty()) {
        if (!flags.adapter.empty())
            return usage_error("--adapter does not go with --endpoint: the server decides it");
        stream.written.push_back({"--resume", identify(flags.resume)});
        return filter_records(stream, wanted, [&] { return server_score_worker(at_server); });
    }
    if (environment.rank > 0) {
        CUSET_TRY(serve(flags, environment));
        return stream_summary{};
    }
    cut_count cuts;
    auto summary = filter_records(stream, wanted,
                                  [&] { return load_worker(flags, environment, asked, cuts); });
    tell_cuts(flags.model, cuts.prompts, cuts.responses, cuts.first_response);
    return summary;
}

}  // namespace

int main(int argc, char** argv) {
    score_flags flags;
    program p = describe(flags);
    return run_tool(
        p, flags.stream, argc, argv,
        {.form = [&] { return flags.ask.show ? output_form::text : output_form::records; },
         .run = [&] { return score(flags); },
         .prepare = [&] { return flags.model.fields.read(); }});
}
