#include "eval_flags.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <sstream>

#include "cuset/host/architectures.h"
#include "cuset/stream/library_versions.h"
#include "cuset/stream/output_file.h"
#include "tool.h"

namespace cuset {

namespace {

/// What CUDABench gives nvcc, and a program.
constexpr double protocol_seconds = 60;

void add_modes(program& p, eval_flags& flags) {
    p.add({
        {0, "tasks", "FILE",
         "The tasks, in a format of cuset-tasks(5). Every mode but --compare, --table and "
         "--by-confidence needs it.",
         &flags.tasks, value_kind::file},
        {0, "verdicts", "FILE",
         "Keep verdicts in FILE, one JSON object a line, each as it comes. Candidates whose "
         "verdict FILE has already are not judged again, unless their text, their task, the "
         "toolchain or a limit has changed: an interrupted evaluation continues.",
         &flags.verdicts, value_kind::file},
        {0, "report", "",
         "FILEs are verdicts, for example those of the parts of a sharded run: report them, and "
         "run nothing.",
         &flags.report},
        {0, "compare", "",
         "FILEs are two files of verdicts, A and B: print B's rates minus A's on the tasks that "
         "both have, with the intervals of the paired differences.",
         &flags.compare},
        {0, "table", "",
         "FILEs are conditions, NAME=VERDICTS[,VERDICTS...]: one row for each, in their order, "
         "with one file of verdicts a seed. A name ends at the last = before the first / or comma. "
         "With --tasks, its tasks are those that count.",
         &flags.table},
        {0, "show", "TASK/SAMPLE",
         "Show one candidate of the FILEs: its verdict, all that the compiler said, the program, "
         "and the answer. The verdict is the one in --verdicts, where that has it, or else it is "
         "judged now.",
         &flags.show},
        {0, "by-confidence", "",
         "FILEs are candidates with scores (cuset-sample --confidence), and --verdicts has the "
         "verdicts on them: print how well the hardest window of an answer foretells its verdict. "
         "Nothing is judged, and no --tasks are needed.",
         &flags.by_confidence},
        {0, "size", "N", "With --by-confidence: tokens in a window.", &flags.size,
         between(1, 1'000'000'000)},
        {0, "check-tasks", "",
         "Check the tasks instead of candidates: bench.cu must be right, and compare.py must pass "
         "the reference and fail outputs that are empty, zero, NaN or cut in half. Prints one "
         "JSON object a task.",
         &flags.check_tasks},
    });
}

void add_table(program& p, eval_flags& flags) {
    p.add({
        {0, "baseline", "NAME",
         "With --table: also print what sets the other conditions apart from this one.",
         &flags.baseline},
        {0, "format", "FORM",
         "The form of --table. tsv has a line for each condition and measure, with all figures "
         "in full; latex is a tabular that needs no package, with the rest as comments.",
         &flags.format, one_of("text", "markdown", "tsv", "latex")},
        {0, "family", "FIELD",
         "With --table and --tasks: the tasks' field whose value is a task's family. By default "
         "it is \"family\" where tasks have it, and else \"task_name\", which verdicts name "
         "too; \"id\" makes each task its own family.",
         &flags.family},
        {0, "figures", "FILE",
         "With --table: more columns, from a TSV with the columns condition, seed, measure and "
         "value, such as a held-out loss for each training. Conditions that are not in the table "
         "are left alone.",
         &flags.figures, value_kind::file},
        {0, "common", "",
         "With --table: count the tasks that all files have, and say how many are dropped, "
         "instead of refusing files with different tasks.",
         &flags.common},
        {0, "plot", "FILE",
         "With --table: draw a measure with its intervals into FILE (SVG), over the numbers in "
         "conditions' names such as tau=0.05 or tau@0.05, a panel for each parameter, with the "
         "baseline as a dashed line.",
         &flags.plot, value_kind::file},
        {0, "measure", "NAME", "The column that --plot draws; by default the table's first.",
         &flags.measure},
    });
}

void add_judging(program& p, eval_flags& flags) {
    p.add({
        {0, "compile-only", "",
         "Stop after compiling. The compiler is nvcc where it is installed; without it, or with "
         "--backend host, the host's g++. This needs no GPU.",
         &flags.compile_only},
        {0, "backend", "NAME",
         "Where programs run: on the GPU, or on a model of one on this machine's processor. auto "
         "takes the GPU if there is one, and the host if not. Standard error, verdicts and "
         "reports say which one it took.",
         &flags.backend, one_of("auto", "gpu", "host")},
        {0, "check", "",
         "Check every access of a program and run it under several orders of threads. A finding "
         "becomes the verdict's diagnostic, with kernel, block, thread and line. This needs the "
         "host backend and takes several times as long.",
         &flags.check},
        {0, "schedules", "N",
         "Orders of threads and blocks that --check tries: the plain one, and N - 1 that are "
         "drawn with --seed. 0 is 4 with --check and 1 without it.",
         &flags.schedules, between(0, 1000)},
        {0, "protocol", "NAME",
         "The rule by which an answer passes. cudabench is the benchmark's own: its first fence "
         "alone, closed and called cpp, c++ or nothing; no flags for nvcc; 60 s each for compiling "
         "and running; whatever compare.py prints, unless it has an F; results that no kernel made "
         "count. The report then has the benchmark's names too.",
         &flags.protocol, one_of("cuset", "cudabench")},
        {0, "fence", "WHICH",
         "Which fenced block of an answer is the program: the first of CUDA or C++, or the last "
         "that is closed. An answer without fences is taken whole.",
         &flags.fence, one_of("first", "last")},
        {0, "accept-no-launch", "",
         "Count right results even if no kernel made them, as CUDABench does.",
         &flags.accept_no_launch},
        {0, "inputs", "N",
         "Sets of inputs that a program has to pass: that of gen.py, and N - 1 that it makes with "
         "other seeds, which are drawn with --seed. bench.cu has to pass them too, or its task is "
         "told.",
         &flags.inputs, between(1, 1000)},
        {0, "arch", "NAME",
         "The architecture for nvcc's -arch; by default that of the GPU, or nvcc's own default "
         "without one. With the host backend, the GPU to model: " +
             host_architectures() + "; by default " + std::string(default_host_architecture()) +
             ".",
         &flags.arch},
        {0, "nvcc", "PROGRAM",
         "The compiler: a path, or a name in PATH. With the host backend, the word none means "
         "that no nvcc is asked even if there is one.",
         &flags.nvcc, value_kind::file},
        {0, "nvcc-flags", "FLAGS",
         "More flags for nvcc, separated by blanks. The host backend's g++ takes -D, -U, -I and "
         "-std= of C++17 or later; its translation takes extended-lambda and "
         "expt-relaxed-constexpr; it ignores the others.",
         &flags.nvcc_flags},
        {0, "launcher", "COMMAND",
         "Words to put before each run of a program, such as 'srun -n1 -G1'. No GPU is "
         "looked for on this machine. TMPDIR must be a folder that the program's machine sees too; "
         "limits of memory and processes hold there only as far as its kernel holds them.",
         &flags.launcher},
        {0, "timeout", "SECONDS", "How long a program may run.", &flags.timeout},
        {0, "memory", "GIB",
         "How much memory of this machine a program may take. 0 means 8, or 16 with the host "
         "backend, where the GPU's memory counts too.",
         &flags.memory, between(0, 1 << 20)},
        {0, "compile-timeout", "SECONDS", "How long nvcc or g++ may take for a program.",
         &flags.compile_timeout},
        {0, "task-timeout", "SECONDS", "How long gen.py and compare.py may each run.",
         &flags.task_timeout},
        {0, "task-memory", "GIB", "How much memory gen.py and compare.py may each take.",
         &flags.task_memory, between(1, 1 << 20)},
        {0, "cache-size", "GIB",
         "How much space compiled programs and the host backend's runtime may take in the cache. "
         "The least recently used are removed first, but none that an evaluation is using. 0 "
         "removes none.",
         &flags.cache_size, between(0, 1 << 20)},
        {0, "concurrent-runs", "N",
         "Programs that run at a time, no more than -t. If there are several, they share the GPU "
         "and its memory, or the cores.",
         &flags.concurrent_runs, between(1, 4096)},
        {0, "python", "PROGRAM",
         "The Python that runs gen.py and compare.py, with the packages that they need, and "
         "KernelBench's problems, with PyTorch.",
         &flags.python, value_kind::file},
        {0, "unsafe-no-sandbox", "",
         "Run programs and their compiler with all rights of this user: they can read the "
         "reference, spoil each other's inputs, and leave processes behind.",
         &flags.unsafe_no_sandbox},
    });
}

void add_reporting(program& p, eval_flags& flags) {
    p.add({
        {'n', "samples", "N",
         "Samples that each task must have; 0 takes the largest number that a task has. Missing "
         "ones count as failures.",
         &flags.samples, between(0, 10'000)},
        {0, "seed", "N",
         "The seed of the bootstrap, of the orders of --schedules and of the sets of --inputs.",
         &flags.seed},
        {0, "leave-out", "FILE",
         "Do not count the tasks that FILE, the output of --check-tasks, calls weak. The report "
         "says how many.",
         &flags.leave_out, value_kind::file},
        {0, "json", "", "The report as one JSON object.", &flags.json},
        {0, "junit", "FILE", "Write a JUnit report to FILE too.", &flags.junit, value_kind::file},
    });
}

}  // namespace

program describe(eval_flags& flags) {
    program p = new_program("cuset-eval", "compile, run and compare what a model wrote");
    p.description = eval_description();
    add_modes(p, flags);
    add_table(p, flags);
    add_judging(p, flags);
    add_reporting(p, flags);
    add_stream_flags(p, flags.stream);
    for (auto& e : p.exit_codes)
        if (e.code == 3)
            e.meaning += " Or some candidates could not be judged, by no fault of theirs.";
    p.exit_codes.push_back(
        {4, "No GPU, no compiler, no Python, or no sandbox, and the mode needs it."});
    p.environment.emplace_back("XDG_CACHE_HOME",
                               "The cache is its folder cuset; ~/.cache/cuset without it.");
    p.environment.emplace_back("TMPDIR", "Where programs run and tasks' data lie meanwhile.");
    p.build_details = [] { return stream_library_versions(); };
    p.examples = {
        {"cuset-eval --tasks tasks.jsonl --compile-only candidates.jsonl",
         "Count the candidates that compile; this needs no GPU."},
        {"cuset-eval --tasks tasks.jsonl --compile-only --verdicts v.jsonl -o report.txt "
         "candidates.jsonl",
         "The same, with the verdicts kept: a second run compiles nothing."},
        {"jq -r 'select(.failure) | [.task, .failure, .diagnostic] | @tsv' v.jsonl",
         "Each failure and the first line of its diagnostic."},
        {"cuset-eval --tasks tasks.jsonl --backend host --compile-only candidates.jsonl",
         "The same with g++, without a CUDA toolkit. Without --compile-only programs run too, and "
         "--check says why kernels are wrong."},
        {"cuset-eval --tasks tasks.jsonl --report --json v.jsonl | jq '.funnel'",
         "How far the candidates of existing verdicts came."},
        {"cuset-eval --by-confidence --verdicts v.jsonl candidates.jsonl",
         "Whether the answers that pass are those that the model was sure of."},
        {"cuset-eval --compare v.jsonl other.jsonl", "How two models differ, with intervals."},
        {"cuset-eval --table --baseline sft sft=v.jsonl,v2.jsonl cuset=other.jsonl",
         "Two objectives, one of them with two seeds, and the difference between them."},
        {"cuset-eval --table --format markdown --plot sweep.svg tau=0.05=v.jsonl tau=0.1=v2.jsonl",
         "A sweep as a table for a page, and as a drawing."},
    };
    p.see_also = {"cuset-sample", "cuset-tag", "cuset-tasks(5)", "cuset-sandbox(7)",
                  "cuset-host(7)"};
    return p;
}

namespace {

/// The options that a benchmark's own protocol fixes.
status check_protocol(const eval_flags& flags) {
    if (flags.protocol == eval_flags().protocol) return {};
    const eval_flags plain;
    const auto refused = [&](const std::string& option, const char* why) {
        return usage_error(option + " does not go with --protocol " + flags.protocol + ": " + why);
    };
    if (flags.report || flags.compare) return refused("--report and --compare", "verdicts have it");
    if (flags.check_tasks) return refused("--check-tasks", "it is for judging candidates");
    if (flags.fence != plain.fence) return refused("--fence", "it takes the first");
    if (flags.inputs != 1) return refused("--inputs", "it has gen.py's own");
    if (flags.check) return refused("--check", "it looks at results alone");
    if (!flags.nvcc_flags.empty()) return refused("--nvcc-flags", "it gives nvcc none");
    if (flags.timeout != protocol_seconds) return refused("--timeout", "it is 60 s");
    if (flags.compile_timeout != plain.compile_timeout && flags.compile_timeout != protocol_seconds)
        return refused("--compile-timeout", "it is 60 s");
    return {};
}

/// A file with two roles would lose one of its texts.
status check_destinations(const eval_flags& flags) {
    const std::pair<const char*, const std::string*> files[] = {
        {"-o", &flags.stream.output},
        {"--verdicts", &flags.verdicts},
        {"--junit", &flags.junit},
        {"--plot", &flags.plot},
        {"--rejects", &flags.stream.rejects},
    };
    std::vector<std::string> read = flags.stream.files;
    read.push_back(flags.tasks);
    read.push_back(flags.leave_out);
    for (const auto& [option, path] : files)
        for (const auto& input : read)
            if (!path->empty() && identify(*path).is_same_file(identify(input)))
                return usage_error(std::string(option) + " and the input " + input +
                                   " are the same file");
    for (const auto* a = std::begin(files); a != std::end(files); ++a)
        for (const auto* b = a + 1; b != std::end(files); ++b)
            if (!a->second->empty() && !b->second->empty() &&
                (*a->second == *b->second ||
                 identify(*a->second).is_same_file(identify(*b->second))))
                return usage_error(std::string(a->first) + " and " + b->first +
                                   " are the same file");
    return {};
}

/// --show judges no stream and makes no report.
status check_show(const eval_flags& flags) {
    if (flags.show.empty()) return {};
    CUSET_ASSIGN([[maybe_unused]] const candidate_name name, read_candidate_name(flags.show));
    if (flags.json || !flags.junit.empty())
        return usage_error("--show is a text: --json and --junit do not go with it");
    return {};
}

/// Options of --table alone, and what it needs.
status check_table(const eval_flags& flags) {
    const std::pair<const char*, bool> own[] = {
        {"--baseline", !flags.baseline.empty()},
        {"--format", flags.format != "text"},
        {"--family", !flags.family.empty()},
        {"--figures", !flags.figures.empty()},
        {"--common", flags.common},
        {"--plot", !flags.plot.empty()},
        {"--measure", !flags.measure.empty()},
    };
    for (const auto& [option, is_given] : own)
        if (is_given && !flags.table) return usage_error(std::string(option) + " needs --table");
    if (!flags.table) return {};
    if (flags.stream.files.empty())
        return usage_error("--table needs conditions: NAME=VERDICTS[,VERDICTS...]");
    if (flags.json) return usage_error("--json does not go with --table: --format has its forms");
    if (!flags.measure.empty() && flags.plot.empty())
        return usage_error("--measure is what --plot draws");
    return {};
}

/// --by-confidence joins two files that are there, and judges nothing.
status check_by_confidence(const eval_flags& flags) {
    if (flags.verdicts.empty())
        return usage_error(
            "--by-confidence needs --verdicts FILE, from an evaluation of the FILEs");
    const std::pair<const char*, bool> others[] = {
        {"--tasks", !flags.tasks.empty()},
        {"--compile-only", flags.compile_only},
        {"--check", flags.check},
        {"--junit", !flags.junit.empty()},
        {"--samples", flags.samples != 0},
        {"--leave-out", !flags.leave_out.empty()},
        {"--inputs", flags.inputs != 1},
        {"--schedules", flags.schedules != 0},
        {"--protocol", flags.protocol != "cuset"},
    };
    for (const auto& [option, is_given] : others)
        if (is_given)
            return usage_error(std::string(option) +
                               " does not go with --by-confidence: it takes verdicts as they are");
    return check_destinations(flags);
}

}  // namespace

result<candidate_name> read_candidate_name(const std::string& text) {
    candidate_name name;
    const std::size_t slash = text.rfind('/');
    const char* const end = text.data() + text.size();
    const char* const number = slash == text.npos ? end : text.data() + slash + 1;
    const auto [stop, error] = std::from_chars(number, end, name.sample);
    if (error != std::errc{} || stop != end || slash == 0)
        return usage_error("--show: '" + text + "' is not TASK/SAMPLE, such as 16/0");
    name.task = text.substr(0, slash);
    return name;
}

status check(const eval_flags& flags) {
    if (int{flags.report} + int{flags.compare} + int{flags.table} + int{flags.check_tasks} +
            int{!flags.show.empty()} + int{flags.by_confidence} >
        1)
        return usage_error(
            "--report, --compare, --table, --show, --by-confidence and --check-tasks are modes: "
            "choose one");
    CUSET_TRY(check_show(flags));
    CUSET_TRY(check_table(flags));
    if (flags.size != eval_flags().size && !flags.by_confidence)
        return usage_error("--size needs --by-confidence");
    if (flags.by_confidence) return check_by_confidence(flags);
    if (flags.tasks.empty() && !flags.compare && !flags.table)
        return usage_error("--tasks FILE is needed");
    if (flags.compare && flags.stream.files.size() != 2)
        return usage_error("--compare needs two files of verdicts");
    if (flags.check_tasks && !flags.stream.files.empty())
        return usage_error("--check-tasks takes no FILE: it judges the tasks");
    const bool reports = flags.report || flags.compare || flags.table;
    const bool judges = !reports && !flags.check_tasks;
    if (!judges && !flags.verdicts.empty())
        return usage_error("--verdicts is for judging candidates");
    if (!judges && flags.stream.on_error != "stop")
        return usage_error("--on-error is for judging candidates");
    if ((flags.compare || flags.table) && !flags.junit.empty())
        return usage_error("--junit does not go with --compare or --table");
    if (flags.check && flags.backend == "gpu")
        return usage_error("--check needs the host backend, not the GPU");
    if (flags.check && (flags.compile_only || reports))
        return usage_error(
            "--check runs programs: it does not go with --compile-only, --report, --compare or "
            "--table");
    if (flags.inputs > 1 && (flags.compile_only || reports))
        return usage_error(
            "--inputs runs programs: it does not go with --compile-only, --report, --compare or "
            "--table");
    if (flags.schedules > 0 && !flags.check) return usage_error("--schedules needs --check");
    if (!(flags.timeout > 0) || !(flags.compile_timeout > 0) || !(flags.task_timeout > 0))
        return usage_error("--timeout, --compile-timeout and --task-timeout are seconds above 0");
    CUSET_TRY(check_protocol(flags));
    return check_destinations(flags);
}

void apply_protocol(eval_flags& flags) {
    if (flags.protocol == eval_flags().protocol) return;
    flags.timeout = flags.compile_timeout = protocol_seconds;
    flags.accept_no_launch = true;
}

std::size_t schedules_of(const eval_flags& flags) {
    if (!flags.check) return 1;
    return flags.schedules > 0 ? static_cast<std::size_t>(flags.schedules) : 4;
}

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

std::uint64_t memory_bytes(const eval_flags& flags, bool is_host) {
    const std::int64_t usual = is_host ? 16 : 8;
    return static_cast<std::uint64_t>(flags.memory == 0 ? usual : flags.memory) << 30;
}

std::uint64_t most_file_bytes(const eval_flags& flags, bool is_host) {
    return std::max(sandbox_limits().file_bytes, memory_bytes(flags, is_host));
}

result<std::filesystem::path> cache_folder() {
    if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache)
        return std::filesystem::path(cache) / "cuset";
    const char* home = std::getenv("HOME");
    if (home == nullptr || *home == '\0')
        return usage_error(
            "neither XDG_CACHE_HOME nor HOME is set: there is no place for the cache");
    return std::filesystem::path(home) / ".cache" / "cuset";
}

}  // namespace cuset
