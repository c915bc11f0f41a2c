#include "flags.h"

#include "cuset/endpoint/library_versions.h"
#include "cuset/model/library_versions.h"
#include "cuset/stream/library_versions.h"
#include "shared_base_flags.h"
#include "tool.h"

namespace cuset {

namespace {

void add_sampling(program& p, sample_flags& flags) {
    p.add({
        {'n', "samples", "N", "Answers to each task.", &flags.samples, between(1, 10'000)},
        {0, "temperature", "T", "Divides the logits. 0 always takes the likeliest token.",
         &flags.temperature},
        {0, "top-p", "P", "Draw from the fewest tokens whose probabilities reach P together.",
         &flags.top_p},
        {0, "top-k", "K", "Draw from the K likeliest tokens; 0 is all.", &flags.top_k,
         between(0, 1 << 30)},
        {0, "seed", "N", "The seed of the random numbers.", &flags.seed},
        {0, "max-new-tokens", "N", "The longest answer; its end marker counts.",
         &flags.max_new_tokens, between(1, 1 << 24)},
        {0, "max-tokens", "N",
         "The longest prompt and answer together; 0 takes what the model was made for.",
         &flags.max_tokens, between(0, 1 << 24)},
        {0, "batch", "N",
         "Answers that are computed at a time. A new one takes the place of one that is done.",
         &flags.batch, between(1, 4096)},
        {0, "draft", "N",
         "The most tokens of an answer that are guessed from what came before, in it and in the "
         "answers that have ended, and checked in one pass. On a CPU it changes the speed, not the "
         "answers. 0 is off.",
         &flags.draft, between(0, 64)},
        {0, "confidence", "",
         "Add the probability of each token to the candidates, as cuset-score writes it: "
         "\"score\":{\"model\",\"end\",\"id\",\"confidence\"}. It is the model's own, at "
         "temperature 1 and over the whole vocabulary, whatever the token was drawn with, which "
         "stands beside it (\"temperature\",\"top_p\",\"top_k\"). cuset-window, cuset-view and, "
         "after "
         "cuset-tag, cuset-stats read the candidates. Not with --endpoint.",
         &flags.confidence},
        {0, "prompt-field", "NAME",
         "The top-level field that holds the prompt. Without --ask it is asked as it is.",
         &flags.fields.prompt},
        {0, "resume", "FILE",
         "Keep candidates in FILE as they are made, as plain text. Those that FILE has already "
         "are passed on as they are, so that an interrupted run continues, and its output is the "
         "same.",
         &flags.resume, value_kind::file},
    });
    p.add({
        {0, "refine", "VERDICTS",
         "Ask once more about answers that failed: VERDICTS, from cuset-eval, are on the answers "
         "of "
         "--answers. Once for each turn, in their order.",
         &flags.refine, value_kind::file},
        {0, "answers", "FILE",
         "The candidates that the verdicts of --refine are on; as many, in the same order.",
         &flags.answers, value_kind::file},
        {0, "history", "WHICH",
         "The answers, each with its feedback, that the conversation shows: the last; all, from "
         "the "
         "first turn on; or the best of these, which came farthest. all and best need the files of "
         "all turns.",
         &flags.history, one_of("last", "all", "best")},
        {0, "feedback", "FILE",
         "What is said about an answer: an ask file of one message, the user's, with the places "
         "{report}, {summary}, {details}, {failure}, {stage}, {diagnostic} and {compiler}.",
         &flags.feedback, value_kind::file},
        {0, "best", "N",
         "Search: of a task that no answer has passed, ask about the N answers of all turns that "
         "came farthest, in turn, for -n new ones in all. 0: ask once about each answer of the "
         "last turn.",
         &flags.best, between(0, 10'000)},
    });
    add_columns_flag(p, flags.fields);
}

}  // namespace

program describe(sample_flags& flags) {
    program p = new_program("cuset-sample", "let a model answer tasks");
    p.description = paragraphs(R"(
Reads tasks and writes candidates, N for each task in the tasks' order: {"task":16, "sample":0,
"response":"…", "tokens":743, "finish":"stop", "model":"…", "key":"…"}. finish is stop if the
answer ended by itself, and length if a limit ended it. key is a hash of all that the answer
depends on.

A task is a task of CUDABench, a problem of ComputeEval or KernelBench, a prompt with a harness,
or any other record with a prompt: prompt, messages or conversations up to the user's last turn,
or instruction and input. --ask says how a task becomes a conversation, and --show prints the
first. The task's name is its id, its task_id, KernelBench's level and problem_id (1/23), or its
line number.

The model is a Hugging Face folder, with or without a LoRA adapter, or a model behind an
OpenAI-compatible server (--endpoint). On a CPU an answer depends only on the seed, the task's id,
the sample's number and the prompt: not on --batch, --draft, the order of the tasks or the number
of threads. On a GPU, or a CPU with other vector instructions, rounding may change a token.

Several processes share a model that is larger than the memory of one (--shard-base; cuset-score(1)
says how they are started). Process 0 alone reads and writes; all compute every token together, so
that more of them save memory and no time. On CPUs answers are the same with any number of processes,
and rounding may change a token with another --batch or without --shard-base.

With --refine the tasks are asked again about answers that failed: the conversation goes on with
the answer and what its verdict says (the compiler's first errors, or what was found, with the
lines of source that it names), and the new answer has "turn", "parent", the key of the answer
that it mends, and "messages", what was asked. It has the sample number of that answer, so that an
answer and those that mend it are a chain. What passed, and what is neither right nor wrong
(unsupported, evaluator), is left alone. Give the tasks, and --ask, as in the first turn.
cuset-eval judges a turn like any answers, into a file of verdicts of its own, and
cuset-report --turns and cuset-reward read these files. cuset-curate takes one turn at a time, or
several without their verdicts. The answers of a search (--best) are no chains: count them with
cuset-report alone. --show prints the first of these conversations.

A server is sent the conversation as messages. It may have sampling defaults of its own beside
--temperature, --top-p and --top-k; --body sets what a server knows beyond them. finish is its
finish_reason, whatever the word, or empty. What it tells of the model's reasoning apart from the
answer (reasoning_content or reasoning) is "thought" in the candidate, behind the response, and no
part of the answer. A request that fails --attempts times makes its task a bad record; eight such
requests in a row end the run with an error. With --on-error=skip a task may have some of its
samples in the output and its line in --rejects.

Of several servers, a request goes to the one with the fewest in flight, and if it fails there, to
another at once. A server that fails what it gets rests, longer each time, and is asked no more
when --attempts different requests in a row have failed there; at once if it refuses the key or has
no such model. One that is silent keeps what it has until --request-timeout. The last one that is
left is treated like the only one. The output is in the tasks' order, whoever answers.
)");
    add_model_flags(p, flags.model);
    add_quantise_flag(p, flags.model,
                      " The model's name in records has :nf4 or :int8 behind its folder's.");
    add_adapter_flag(p, flags.adapter);
    add_shard_base_flag(p, flags.shard_base);
    add_ask_flags(p, flags.ask);
    add_sampling(p, flags);
    add_endpoint_flags(p, flags,
                       "Ask an OpenAI-compatible server (vLLM, SGLang, llama.cpp), such as "
                       "http://localhost:8000/v1. --model is then its name for the model; without "
                       "it, the first that it lists.",
                       kept_in_chat);
    add_stream_flags(p, flags.stream);
    p.build_details = [] {
        return stream_library_versions() + endpoint_library_versions() + model_library_versions();
    };
    p.examples = {
        {"cuset-sample -n 3 --max-new-tokens 32 tasks.jsonl -o candidates.jsonl",
         "Three answers to each task."},
        {"cuset-sample --temperature 0 --max-new-tokens 32 tasks.jsonl | cuset-eval --tasks "
         "tasks.jsonl --compile-only",
         "How many of the likeliest answers compile."},
        {"cuset-sample --confidence --max-new-tokens 32 tasks.jsonl -o sure.jsonl; cuset-window "
         "sure.jsonl | sort -n | head",
         "The answers whose hardest window the model was least sure of."},
        {"cuset-sample --show tasks.jsonl", "What the first task is asked."},
        {"cuset-sample --refine v.jsonl --answers candidates.jsonl --show tasks.jsonl",
         "What is said about the first answer that failed."},
        {"cuset-sample --refine v.jsonl --answers candidates.jsonl --max-new-tokens 32 tasks.jsonl "
         "> turn2.jsonl",
         "A second answer in place of each that failed."},
        {"cuset-sample -n 3 --max-new-tokens 32 --resume made.jsonl tasks.jsonl -o "
         "candidates.jsonl.zst",
         "The same, to be interrupted and started again at will."},
    };
    p.see_also = {"cuset-eval", "cuset-score", "cuset-train", "cuset-ask(5)"};
    return p;
}

status check(const sample_flags& flags) {
    if (!(flags.temperature >= 0 && flags.temperature <= 100))
        return usage_error("--temperature: not from 0 to 100");
    if (!(flags.top_p > 0 && flags.top_p <= 1))
        return usage_error("--top-p: not above 0 and up to 1");
    CUSET_TRY(check(static_cast<const endpoint_flags&>(flags)));
    if (!flags.endpoint.empty()) {
        if (!flags.adapter.empty() || flags.model.chat != "auto" || flags.model.dtype != "auto" ||
            flags.model.device != "auto" || flags.model.quantise != "none" || flags.max_tokens != 0)
            return usage_error(
                "--adapter, --template, --dtype, --device, --quantize, --top-k and --max-tokens do "
                "not go with --endpoint: the server decides them");
        if (flags.confidence)
            return usage_error(
                "--confidence does not go with --endpoint: servers differ in what their logprobs "
                "are of (before or after temperature and top-p)");
    }
    if (flags.refine.size() != flags.answers.size())
        return usage_error("--refine and --answers are given together, once for each turn");
    const bool refines = !flags.refine.empty();
    if (!refines && (flags.history != "last" || !flags.feedback.empty() || flags.best > 0))
        return usage_error("--history, --feedback and --best need --refine");
    if (refines && flags.best == 0 && flags.samples > 1)
        return usage_error(
            "-n above 1 with --refine needs --best: else each answer that failed gets one");
    return {};
}

refine_settings sample_flags::to_refine_settings() const {
    refine_settings settings;
    settings.answers = answers;
    settings.verdicts = refine;
    settings.history = history == "last"  ? shown_history::last
                       : history == "all" ? shown_history::all
                                          : shown_history::best;
    settings.best = static_cast<std::size_t>(best);
    settings.samples = static_cast<std::uint64_t>(samples);
    return settings;
}

}  // namespace cuset
