#include "flags.h"

#include <algorithm>

#include "cuset/base/visible_text.h"
#include "cuset/cli/suggestion.h"
#include "cuset/curate/licenses.h"
#include "cuset/endpoint/library_versions.h"
#include "cuset/stream/library_versions.h"
#include "endpoint_flags.h"

namespace cuset {

namespace {

void add_join(program& p, curate_flags& flags) {
    p.add({
        {0, "tasks", "FILE",
         "Read candidates, as cuset-sample writes them, and make a pair of each with its task of "
         "FILE, which --ask asks. Without it, records are pairs.",
         &flags.tasks, value_kind::file},
        {0, "verdicts", "FILE",
         "Keep candidates by these verdicts of cuset-eval. Given several times, the files are "
         "parts of one evaluation.",
         &flags.verdicts, value_kind::file},
        {0, "stage", "STAGE",
         "How far a candidate must have come. checked is correct in verdicts of cuset-eval "
         "--check.",
         &flags.stage, one_of("compiled", "ran", "correct", "checked")},
        {0, "ask", "NAME|FILE",
         "How a task becomes a conversation: see cuset-sample. It should be what the candidates "
         "were asked.",
         &flags.ask.ask, value_kind::file},
        {0, "level", "N", "Which of CUDABench's descriptions is asked: 1, 2 or 3.",
         &flags.ask.level, between(1, 3)},
        {0, "system", "FILE", "The system message of every task, instead of its own.",
         &flags.ask.system, value_kind::file},
        {0, "gpu", "NAME", "The GPU that the prompt names, instead of the task's field gpu.",
         &flags.ask.gpu},
    });
}

void add_choice(program& p, curate_flags& flags) {
    p.add({
        {0, "pick", "RULE",
         "What is preferred among the records of a task (their field task), and in a cluster of "
         "duplicates: the shortest response, the fastest program by its verdict, the likeliest "
         "answer by the mean log of score.confidence, or the first sample. all prefers the first, "
         "and keeps every record of a task.",
         &flags.pick, one_of("all", "first", "shortest", "fastest", "likeliest")},
        {0, "most", "N", "The most records of a task. 0 is one, or all with --pick all.",
         &flags.most, between(0, 1 << 30)},
        {0, "preferences", "N",
         "Write preferences instead of pairs: {prompt, chosen, rejected} of each record that is "
         "kept and of each of the N answers to its task that failed and whose programs are "
         "nearest to its own, counted in tokens that differ. curate.rejected names the latter, and "
         "curate.distance counts. With --stage checked, racy answers are among those that failed. "
         "An answer that a limit of tokens ended, and one that is shorter or longer than "
         "--shortest "
         "and --longest say, is not rejected. 0 is off.",
         &flags.preferences, between(0, 1000)},
        {0, "preset", "NAME",
         "concur: the rules of ConCuR (arXiv 2510.07356). Of each task the record with the "
         "shortest "
         "reasoning, but only if its program is also the fastest (without times it counts as "
         "that), "
         "and those of --speed-up. Records without reasoning are dropped.",
         &flags.preset, one_of("none", "concur")},
        {0, "speed-up", "X",
         "With --preset concur, keep each record too whose field speedup is above X. 0 is off.",
         &flags.speed_up},
        {0, "tokenizer", "FILE",
         "A tokenizer.json, or a model folder that has one. It measures reasoning: what is "
         "between <think> and </think>, or --thought-field. Without </think>, all behind <think> "
         "is reasoning.",
         &flags.tokenizer, value_kind::file},
        {0, "thought-field", "NAME", "The top-level field that holds the reasoning.",
         &flags.thought_field},
        {0, "thought-most", "N", "The most tokens of reasoning. 0 is no limit.",
         &flags.thought_most, between(0, 1LL << 40)},
        {0, "difficulty", "",
         "Write to each record, as curate.difficulty, the mean tokens of reasoning of all answers "
         "to its task, right or wrong.",
         &flags.difficulty},
    });
}

void add_duplicates(program& p, curate_flags& flags) {
    p.add({
        {0, "duplicates", "SEARCH",
         "Keep one record of each cluster of programs that are the same (exact), or that are "
         "joined by pairs of similar ones (near). none keeps all.",
         &flags.duplicates, one_of("none", "exact", "near")},
        {0, "ignore", "LIST",
         "In what equal programs may differ: comments, space, names (under a consistent renaming; "
         "keywords and names of CUDA stay) and literals, with commas between them; or none. Near "
         "duplicates differ in comments and space in any case.",
         &flags.ignore},
        {0, "similar", "J",
         "The least Jaccard index of near duplicates, of their sets of runs of tokens. Copies with "
         "other names are far below it: --ignore comments,space,names finds them.",
         &flags.similar},
        {0, "shingle", "N", "The tokens of such a run.", &flags.shingle, between(1, 1000)},
        {0, "against", "FILE",
         "Drop pairs that share text with a task of this benchmark, in JSON Lines. It may be given "
         "several times. See CONTAMINATION in the description.",
         &flags.against, value_kind::file},
        {0, "ngram", "N", "The words in a row that a prompt may not share with a benchmark's.",
         &flags.words, between(2, 10'000)},
        {0, "code-ngram", "N",
         "The lexer tokens in a row that a program may not share with a benchmark's.",
         &flags.tokens, between(2, 100'000)},
    });
}

void add_checks(program& p, curate_flags& flags) {
    p.add({
        {0, "shortest", "BYTES", "The least length of a response.", &flags.shortest},
        {0, "longest", "BYTES", "The greatest length of a response. 0 is no limit.",
         &flags.longest},
        {0, "code", "", "Drop responses that hold no program.", &flags.code},
        {0, "lang", "LANGUAGE", "The dialect of the response's device code.", &flags.lang,
         one_of("any", "cuda", "hip")},
        {0, "kernels", "N", "The least number of kernels in a response, as cuset-tag counts.",
         &flags.kernels, between(0, 1 << 30)},
        {0, "comments-most", "SHARE",
         "The greatest share of comments in the program's bytes (white space apart), 0 to 1.",
         &flags.comments_most},
        {0, "license", "allow=LIST",
         "Keep programs with one of these licences, by their SPDX names with commas between them; "
         "case does not count. A licence is what SPDX-License-Identifier says in the comments, or "
         "the usual notice in them (of Apache, MIT, BSD, GNU's and others; "
         "LicenseRef-NVIDIA-proprietary and LicenseRef-all-rights-reserved for such notices; "
         "several are joined with AND). With --from-sources the file LICENSE, LICENCE, COPYING or "
         "COPYRIGHT of the nearest folder counts where the program's own says nothing. unknown is "
         "a program that speaks of a licence or a copyright in other words, none one that does "
         "not. An expression with brackets is not read, and not allowed.",
         &flags.license},
        {0, "no-secrets", "", "Drop pairs that hold what looks like a key of a service.",
         &flags.no_secrets},
        {0, "no-paths", "",
         "Drop pairs that name a path of somebody's machine: one below /home, /Users, /root, /mnt "
         "or C:\\Users.",
         &flags.no_paths},
        {0, "compile", "",
         "Drop programs that do not compile in the judge's sandbox. A program without main need "
         "not link.",
         &flags.compile},
        {0, "backend", "NAME", "What --compile compiles with: gpu is nvcc, host g++.",
         &flags.backend, one_of("auto", "gpu", "host")},
        {0, "nvcc-flags", "FLAGS", "More flags for the compiler.", &flags.nvcc_flags},
        {0, "arch", "ARCH", "The compiler's architecture, such as sm_90.", &flags.arch},
        {0, "compile-timeout", "SECONDS", "How long a compiler may run.", &flags.compile_timeout},
    });
}

void add_sources(program& p, curate_flags& flags) {
    p.add({
        {0, "from-sources", "DIR|TAR",
         "Make the records of the .cu and .hip files of a folder, and of its headers with a kernel "
         "(.cuh, "
         ".h, .hpp, .hh, .inl), or of those of a tar archive (plain, gzip or zstd; - is standard "
         "input), instead of reading records. The response is the file, and "
         "path, license (as of --license) and sha256 tell where it is from. --ask "
         "FILE makes the prompt of these fields; or --endpoint does.",
         &flags.from_sources, value_kind::file},
        {0, "pairs", "DIRECTION",
         "With --from-sources, make a record of each file that is there in CUDA and in HIP, to "
         "learn translation from: the response is in the language behind the dash, and source, "
         "source_path, source_sha256, source_lang and lang tell of both. Two files are twins if "
         "their paths differ in the words cuda and hip, or in the endings .cu and .hip, alone "
         "(scan-cuda/main.cu and scan-hip/main.cu), and their texts differ; others are dropped "
         "(no_twin). Without --ask, the prompt asks to translate source.",
         &flags.pairs, one_of("none", "cuda-hip", "hip-cuda")},
        {0, "encoding", "NAME",
         "The encoding of the files of --from-sources that are no UTF-8. Without latin1 (ISO "
         "8859-1), such a file is a bad record, whose message names the first such byte.",
         &flags.encoding, one_of("utf8", "latin1")},
        {0, "endpoint", "URL",
         std::string("With --from-sources, send what --ask FILE makes of each source that is kept "
                     "to an OpenAI-compatible server; its answer is the prompt, without the "
                     "reasoning. An answer that --max-new-tokens ended, or whose <think> does not "
                     "end, is none (cut_instruction).") +
             several_servers_help,
         &flags.endpoint},
        {0, "model", "NAME",
         "The server's name for its model; without it, the first that it lists.", &flags.model},
        {0, "key-variable", "NAME",
         "The environment variable that holds the server's key, if it needs one.",
         &flags.key_variable},
        {0, "temperature", "T", "The server's temperature.", &flags.temperature},
        {0, "max-new-tokens", "N", "The longest answer of the server.", &flags.max_new_tokens,
         between(1, 1 << 24)},
        {0, "concurrency", "N", "Requests in flight, at each server.", &flags.concurrency,
         between(1, 1024)},
        {0, "requests-per-minute", "N", requests_per_minute_help, &flags.requests_per_minute,
         between(0, most_requests_per_minute)},
        {0, "attempts", "N", "How often a request is tried, at each server.", &flags.attempts,
         between(1, 1000)},
        {0, "request-timeout", "SECONDS", "How long one attempt may take.", &flags.request_timeout},
        {0, "resume", "FILE",
         "Keep the server's answers in FILE as they come, and use those that it has already.",
         &flags.resume, value_kind::file},
    });
}

constexpr const char* description = R"(
Makes training pairs. Reads pairs, or with --tasks the candidates of cuset-sample, drops what
should not be trained on, and writes the rest in its order, with a field curate that says why a
record was kept. With --rejects every record that is dropped goes to a file, with one reason, the
first that holds in this order: bad_record (with --on-error=skip), no_task, no_twin, repeated, no_verdict,
other_task (the task is not that of the verdict), not_judged, failed, no_code, too_short,
too_long, no_thought, long_thought, language, no_kernel, comments, license, secret, own_path,
benchmark, not_compiled, exact_duplicate, near_duplicate, not_picked, no_rival, no_instruction (of
the server), cut_instruction. Other fields stay byte for byte; a bad line is the field line, with
U+FFFD for what is no UTF-8.

A record of --tasks becomes {"id":"16/0", "task":16, "sample":0, "prompt", "response", ...}, with
system where there is a system message, and with messages where the task is asked in several
turns. The prompt is the whole question, so that cuset-train takes the pairs with --ask plain.

DUPLICATES. The program of a response is its first fenced block of CUDA or C++, or all of it. Near
duplicates are the connected components of all pairs of programs whose sets of runs of --shingle
lexer tokens have a Jaccard index of --similar or more. MinHash with banded LSH finds the pairs
(each with a probability of 0.999 or more), and the exact index decides. Pairs are the same
whatever their prompts are. In --rejects a near duplicate has "similar" in its field curate: its index
with the record that stays, which may be less than --similar where a third is like both.

CONTAMINATION. A pair is dropped if its prompt has --ngram words in a row of a benchmark's prompt,
its code --code-ngram lexer tokens of a benchmark's program (or twice as many under another
consistent naming, unless they are a list of names), if its prompt is a near duplicate, or its
code is one under any renaming. Its code is its program and each other block of CUDA or C++ in the
response, the reasoning and the prompt. Comments and white space do not count, shorter texts are
not compared. A record in --rejects tells the task with which it shares most. A benchmark's
prompts are its fields prompt, instruction, question, task_description, level1_prompt to
level3_prompt and the user's turns; its programs are bench.cu, response, output, code, solution,
canonical_solution, harness, the assistant's turns and the files of baseline_solution,
context_files and test_files.

Records wait in temporary files ($TMPDIR), and some 200 bytes of each in memory. The output does
not depend on the number of threads. Each shard reads all records and writes those whose cluster,
with all other records of its task, it owns: the outputs of all shards are together those of one
run.

A table of what each step dropped goes to standard error, or to --report.
)";

}  // namespace

program describe(curate_flags& flags) {
    program p = new_program("cuset-curate", "make training pairs of answers, and drop bad ones");
    p.description = paragraphs(description);
    flags.stream.rejects_text =
        "The file for the records that are dropped, each with its reason in its field curate. "
        "--on-error=skip needs it.";
    flags.stream.shard_text =
        "Write only the clusters and tasks whose first record's id hashes to I modulo N (I from 0; "
        "FNV-1a, 64 bits). All records are read.";
    add_join(p, flags);
    add_choice(p, flags);
    add_duplicates(p, flags);
    add_checks(p, flags);
    add_sources(p, flags);
    p.add({
        {0, "card", "FILE",
         "Write a data card, in the form of the README.md of Hugging Face's Hub: counts, licences, "
         "sources, lengths, families, contamination, and the command line.",
         &flags.card, value_kind::file},
        {0, "report", "FILE", "Write the table of what was dropped to FILE.", &flags.report,
         value_kind::file},
        {0, "dry-run", "",
         "Write no pairs, and leave -o as it is: only the table, --rejects and --card.",
         &flags.dry_run},
    });
    add_field_flags(p, flags.fields);
    add_stream_flags(p, flags.stream);
    p.exit_codes.push_back({4, "--compile: the sandbox or the compiler cannot run here."});
    p.environment.emplace_back("CUSET_CUDA_INCLUDE",
                               "The folder of CUDA's own headers, for --backend=host: see "
                               "cuset-host(7).");
    p.environment.emplace_back("CUSET_API_KEY", "The server's key: see --key-variable.");
    p.build_details = [] { return stream_library_versions() + endpoint_library_versions(); };
    p.examples = {
        {"cuset-curate --tasks tasks.jsonl --verdicts v.jsonl --stage compiled --pick shortest "
         "candidates.jsonl -o kept.jsonl",
         "The shortest right answer to each task, as pairs."},
        {"cuset-curate --plain --tasks tasks.jsonl --verdicts v.jsonl --stage compiled "
         "--preferences 2 "
         "candidates.jsonl",
         "Each right answer against the two failed ones that are most like it."},
        {"cuset-curate --plain --against tasks.jsonl --rejects dropped.jsonl pairs.jsonl",
         "Pairs without duplicates, and without what a benchmark has."},
        {"cuset-curate --dry-run --ignore comments,space,names pairs.jsonl",
         "What would be dropped if names did not count."},
    };
    p.see_also = {"cuset-eval", "cuset-sample", "cuset-train", "cuset-ask(5)"};
    return p;
}

result<wanted_stage> stage_named(const std::string& name) {
    if (name == "compiled") return wanted_stage::compiled;
    if (name == "ran") return wanted_stage::ran;
    if (name == "correct") return wanted_stage::correct;
    return wanted_stage::checked;
}

namespace {

status check_sources(const curate_flags& flags) {
    const curate_flags usual;
    if (flags.endpoint.empty()) {
        for (const auto& [name, is_given] :
             {std::pair("--model", !flags.model.empty()),
              {"--key-variable", flags.key_variable != usual.key_variable},
              {"--temperature", flags.temperature != usual.temperature},
              {"--max-new-tokens", flags.max_new_tokens != usual.max_new_tokens},
              {"--concurrency", flags.concurrency != usual.concurrency},
              {"--requests-per-minute", flags.requests_per_minute > 0},
              {"--attempts", flags.attempts != usual.attempts},
              {"--request-timeout", flags.request_timeout != usual.request_timeout},
              {"--resume", !flags.resume.empty()}})
            if (is_given) return usage_error(std::string(name) + " needs --endpoint URL");
    }
    if (flags.from_sources.empty()) {
        if (flags.encoding != usual.encoding) return usage_error("--encoding needs --from-sources");
        if (flags.pairs != usual.pairs) return usage_error("--pairs needs --from-sources");
        return flags.endpoint.empty() ? status() : usage_error("--endpoint needs --from-sources");
    }
    if (!flags.stream.files.empty())
        return usage_error("--from-sources takes the place of the FILEs");
    for (const auto& [name, is_given] : {std::pair("--tasks", !flags.tasks.empty()),
                                         {"--prompt-field", !flags.fields.prompt.empty()},
                                         {"--response-field", !flags.fields.response.empty()},
                                         {"--columns", !flags.fields.data_set.empty()},
                                         {"--level", flags.ask.level != usual.ask.level},
                                         {"--gpu", !flags.ask.gpu.empty()}})
        if (is_given) return usage_error(std::string(name) + " does not go with --from-sources");
    if (flags.pairs != usual.pairs && !flags.endpoint.empty())
        return usage_error("--pairs does not go with --endpoint");
    if (flags.pairs != usual.pairs && flags.ask.ask == usual.ask.ask)
        return flags.ask.system.empty() ? status()
                                        : usage_error("--system needs --ask FILE beside --pairs");
    if (flags.ask.ask == "auto" || flags.ask.ask == "plain" || flags.ask.ask == "cudabench" ||
        flags.ask.ask == "computeeval" || flags.ask.ask == "harness" ||
        flags.ask.ask == "kernelbench" || flags.ask.ask == "counting")
        return usage_error("--from-sources needs --ask FILE, which makes a prompt of each source");
    if (!(flags.temperature >= 0)) return usage_error("--temperature: below 0");
    if (!(flags.request_timeout > 0)) return usage_error("--request-timeout: not above 0");
    return {};
}

}  // namespace

status check(const curate_flags& flags) {
    const curate_flags usual;
    CUSET_TRY(check_sources(flags));
    if (flags.tasks.empty()) {
        if (!flags.verdicts.empty()) return usage_error("--verdicts needs --tasks FILE");
        for (const auto& [name, is_given] : {std::pair("--ask", flags.ask.ask != usual.ask.ask),
                                             {"--level", flags.ask.level != usual.ask.level},
                                             {"--system", !flags.ask.system.empty()},
                                             {"--gpu", !flags.ask.gpu.empty()}})
            if (is_given && flags.from_sources.empty())
                return usage_error(std::string(name) + " needs --tasks FILE or --from-sources");
    } else if (!flags.fields.response.empty()) {
        return usage_error("--response-field does not go with --tasks: candidates have a response");
    }
    if (flags.verdicts.empty()) {
        if (flags.stage != usual.stage) return usage_error("--stage needs --verdicts FILE");
        if (flags.pick == "fastest") return usage_error("--pick fastest needs --verdicts FILE");
    }
    if (flags.pick == "fastest" && flags.stage == "compiled")
        return usage_error("--pick fastest does not go with --stage compiled: not all have a time");
    if (!(flags.similar > 0 && flags.similar <= 1))
        return usage_error("--similar: not above 0 and up to 1");
    if (!(flags.comments_most >= 0 && flags.comments_most <= 1))
        return usage_error("--comments-most: not from 0 to 1");
    if (!(flags.speed_up >= 0)) return usage_error("--speed-up: below 0");
    if (flags.longest > 0 && flags.longest < flags.shortest)
        return usage_error("--longest is less than --shortest");
    if (flags.preset == "none" && flags.speed_up != usual.speed_up)
        return usage_error("--speed-up needs --preset concur");
    if (flags.preset == "concur" && (flags.pick != usual.pick || flags.most > 0))
        return usage_error("--pick and --most do not go with --preset concur, which chooses");
    if (flags.preferences > 0 && flags.verdicts.empty())
        return usage_error("--preferences needs --tasks and --verdicts");
    if (flags.tokenizer.empty()) {
        for (const auto& [name, is_given] : {std::pair("--thought-most", flags.thought_most > 0),
                                             {"--thought-field", !flags.thought_field.empty()},
                                             {"--difficulty", flags.difficulty},
                                             {"--preset concur", flags.preset == "concur"}})
            if (is_given) return usage_error(std::string(name) + " needs --tokenizer FILE");
    }
    if (!flags.compile)
        for (const auto& [name, is_given] :
             {std::pair("--backend", flags.backend != usual.backend),
              {"--nvcc-flags", !flags.nvcc_flags.empty()},
              {"--arch", !flags.arch.empty()},
              {"--compile-timeout", flags.compile_timeout != usual.compile_timeout}})
            if (is_given) return usage_error(std::string(name) + " needs --compile");
    if (flags.against.empty() && (flags.words != usual.words || flags.tokens != usual.tokens))
        return usage_error("--ngram and --code-ngram need --against FILE");
    if (!flags.license.empty() && !flags.license.starts_with("allow="))
        return usage_error("--license: it is allow=LIST");
    return {};
}

result<curation_options> to_curation_options(const curate_flags& flags) {
    curation_options o;
    if (flags.tasks.empty()) flags.fields.put_into(o.wanted);
    o.wanted.parts = record_part::response | record_part::prompt;
    if (flags.pick == "likeliest") o.wanted.parts = o.wanted.parts | record_part::score;
    o.threads = static_cast<int>(flags.stream.threads);
    o.skip_errors = flags.stream.on_error == "skip";
    o.are_candidates = !flags.tasks.empty();
    o.prompts_later = !flags.endpoint.empty();
    o.shard_index = flags.stream.shard_index;
    o.shard_count = flags.stream.shard_count;
    o.least_bytes = static_cast<std::uint64_t>(flags.shortest);
    o.most_bytes = static_cast<std::uint64_t>(flags.longest);
    o.needs_code = flags.code;
    o.language = flags.lang == "any" ? "" : flags.lang;
    o.least_kernels = static_cast<std::uint64_t>(flags.kernels);
    o.most_comments = flags.comments_most;
    for (std::size_t at = 6; at <= flags.license.size();) {
        const std::size_t end = std::min(flags.license.find(',', at), flags.license.size());
        if (end == at) return usage_error("--license: a name is empty");
        std::string name = flags.license.substr(at, end - at);
        if (!is_license_name(name))
            return usage_error("--license: \"" + visible_text(name) + "\" is no SPDX name" +
                               did_you_mean(name, license_names()));
        o.licenses.push_back(std::move(name));
        at = end + 1;
    }
    o.have_licenses = !flags.from_sources.empty();
    o.no_secrets = flags.no_secrets;
    o.no_own_paths = flags.no_paths;
    o.thought_field = flags.thought_field;
    o.most_thought = static_cast<std::uint64_t>(flags.thought_most);
    o.duplicates = flags.duplicates == "none"    ? duplicate_search::none
                   : flags.duplicates == "exact" ? duplicate_search::exact
                                                 : duplicate_search::near;
    auto ignored = ignored_parts_named(flags.ignore);
    if (!ignored) return std::move(ignored).error().with_prefix("--ignore: ");
    o.ignored = *ignored;
    o.similar = flags.similar;
    o.shingle = static_cast<std::size_t>(flags.shingle);
    o.pick = flags.pick == "first"       ? pick_rule::first
             : flags.pick == "shortest"  ? pick_rule::shortest
             : flags.pick == "fastest"   ? pick_rule::fastest
             : flags.pick == "likeliest" ? pick_rule::likeliest
                                         : pick_rule::all;
    o.most = static_cast<std::uint64_t>(flags.most);
    o.rivals = static_cast<std::uint64_t>(flags.preferences);
    o.concise = flags.preset == "concur";
    o.speed_up = flags.speed_up;
    o.difficulty = flags.difficulty;
    o.describe = !flags.card.empty();
    return o;
}

}  // namespace cuset
