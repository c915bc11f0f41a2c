#include "eval_flags.h"

#include <algorithm>
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
         "The tasks, in a format of cuset-tasks(5). Every mode but --compare needs it.",
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
        {0, "check-tasks", "",
         "Check the tasks instead of candidates: bench.cu must be right, and compare.py must pass "
         "the reference and fail outputs that are empty, zero, NaN or cut in half. Prints one "
         "JSON object a task.",
         &flags.check_tasks},
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
        {0, "memory", "GIB", "How much memory of this machine, not the GPU's, a program may take.",
         &flags.memory, between(1, 1 << 20)},
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
         "The Python that runs gen.py and compare.py, with the packages that they need.",
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
    p.description = {
        "Reads candidates, takes the program out of each answer, compiles and runs it, and "
        "compares its outputs with the reference. The report says how far the candidates came, "
        "Pass@k with its 95 % interval, and what went wrong. A candidate is "
        "{\"task\":16,\"sample\":0,\"response\":\"…\"}, or a line of CUDABench's results (id, "
        "code1, response1, …).",
        "Tasks of CUDABench-Set have id, task_name, inputs, outputs, level1_prompt, bench.cu, "
        "gen.py and compare.py. gen.py makes the inputs and the reference; a program reads "
        "data/NAME.bin for each input and writes data/NAME.bin for each output; compare.py prints "
        "T or F.",
        "Tasks with a harness of your own, and ComputeEval's, are built together with the answer's "
        "files, and the exit code of the test decides. cuset-tasks(5) has all formats.",
        "Pass@k is the share of tasks that at least one of the first k samples solves. The paper "
        "does not define its Pass@k; all its rates are multiples of 1/500, the number of "
        "CUDABench's tasks, which fits this definition. \"pass@k unbiased\" is 1 - "
        "C(n-c,k)/C(n,k). Intervals come from a bootstrap over task families, since tasks of one "
        "family rise and fall together.",
        "Programs, gen.py, compare.py and the compiler run in a sandbox (bubblewrap and seccomp). "
        "They have no network and no sight of the reference, and their time, memory, processes, "
        "output and files are bounded. The reference joins the outputs in a separate sandbox "
        "after the run. Without bubblewrap the tool refuses to run. cuset-sandbox(7) says what is "
        "promised, against whom, and what is not.",
        "On a GPU, launch errors and illegal addresses are known only from what a program prints "
        "about them. A program that checks nothing gets a missing or wrong output instead.",
        "The host backend rewrites a program's launches, shared arrays and barriers as C++, "
        "compiles it with g++ (12 or later, on x86-64) against a runtime that models a GPU, and "
        "runs it in the same sandbox. Blocks are spread over the cores. The threads of a block "
        "run in turn: while one waits at a barrier, another runs. Limits, error codes and device "
        "memory are those of a GPU: host code cannot reach device memory, and kernels cannot "
        "reach the host's. The backend judges results, not speed, and has not been compared with "
        "a GPU yet. Its verdicts are marked \"host\" and are never counted together with a GPU's.",
        "What the model lacks (clusters, matrix fragments, several of CUDA's libraries, some "
        "instructions of PTX and calls; cuset-host(7) lists what it has) gives the verdict "
        "unsupported, with the name of what is missing. It is neither a failure nor a pass: rates "
        "count such candidates as not passed, and the report adds the rates that would hold if "
        "all of them passed.",
        "A program whose results fail in the plain order of threads runs once more with the "
        "threads of each warp in step, as programs without __syncwarp expect. If it passes then, "
        "its verdict passes, has \"order\":\"warp\", and notes that the program races. --check and "
        "--schedules leave this out.",
        "Where nvcc is installed, it is asked about each program that g++ refuses and about each "
        "that passed. A program that nvcc refuses fails with nvcc's message; a program that only "
        "nvcc compiles is unsupported. Without nvcc, g++ decides: a name that looks like CUDA's "
        "is unsupported, and only the plain cases that nvcc would refuse are found in the source: "
        "calls of host functions and constructors in kernels, __device__ lambdas, too much "
        "constant or shared memory.",
        "The host model cannot see: races that no tried order of threads shows, the weaker memory "
        "ordering of a GPU, warps that diverge in another way than here, "
        "misaligned addresses, how many blocks a GPU holds at a time, the registers and the time "
        "of a kernel, host pointers inside structures in device memory, and last digits that "
        "differ between the two processors. Host code is compiled with -O2, which nvcc does not "
        "use by default: undefined behaviour may end differently.",
        "--check compiles a variant that checks every access, and runs each program on one core "
        "under several orders of threads and blocks. It finds accesses out of bounds and to freed "
        "memory, reads of memory that nothing wrote, threads of a block that touch the same "
        "shared memory with no barrier between, and threads that wait at different barriers. It "
        "also finds outputs that compare.py passes in one order and not in another: this is a "
        "race, and the message names the first kernel whose results differed. The first finding "
        "is the verdict, with kernel, block, thread and line. Memory that was never freed is a "
        "note on standard error.",
        "Compiled programs are kept in $XDG_CACHE_HOME/cuset by source, flags and version of the "
        "compiler, together with the host backend's runtime, which the first use compiles. "
        "Several evaluations may share the cache, --cache-size bounds it, and it may be removed "
        "at any time. A program of more than 256 MiB is compile_limit, and is not kept.",
        "Files of verdicts are checked as they are read: a line that no evaluation writes is an "
        "error, and the message says where it is. Verdicts are found again by SHA-256 of all that "
        "they depend on. An answer, or a task's own program, may have 16 MiB, and a line of a "
        "file 128 MiB. Text that others wrote is shown with escapes for control characters and "
        "invisible characters: \\x1b, \\u202e.",
        "The kinds of failure are no_code, forbidden_file (the answer has a file that its task "
        "does "
        "not allow), syntax_error, link_error, compile_timeout, compile_limit, missing_reference "
        "(the code lacks a name that its task wants), launch_error, illegal_address, run_timeout, "
        "run_limit (memory, processes, output, files), crash, wrong_exit, missing_output, "
        "wrong_output, no_kernel_launch (right results that no kernel made) and evaluator. "
        "evaluator means that gen.py, compare.py or "
        "the machine failed: a warning says so, and the next run judges the candidate again. Only "
        "the host backend has out_of_bounds, uninitialised_read, use_after_free, "
        "barrier_divergence and race, most of them with --check; and unsupported, which is no "
        "failure.",
    };
    add_modes(p, flags);
    add_judging(p, flags);
    add_reporting(p, flags);
    add_stream_flags(p, flags.stream);
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
        {"cuset-eval --compare v.jsonl other.jsonl", "How two models differ, with intervals."},
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

}  // namespace

status check(const eval_flags& flags) {
    if (int{flags.report} + int{flags.compare} + int{flags.check_tasks} > 1)
        return usage_error("--report, --compare and --check-tasks are modes: choose one");
    if (flags.tasks.empty() && !flags.compare) return usage_error("--tasks FILE is needed");
    if (flags.compare && flags.stream.files.size() != 2)
        return usage_error("--compare needs two files of verdicts");
    if (flags.check_tasks && !flags.stream.files.empty())
        return usage_error("--check-tasks takes no FILE: it judges the tasks");
    const bool judges = !flags.report && !flags.compare && !flags.check_tasks;
    if (!judges && !flags.verdicts.empty())
        return usage_error("--verdicts is for judging candidates");
    if (!judges && flags.stream.on_error != "stop")
        return usage_error("--on-error is for judging candidates");
    if (flags.compare && !flags.junit.empty())
        return usage_error("--junit does not go with --compare");
    if (flags.check && flags.backend == "gpu")
        return usage_error("--check needs the host backend, not the GPU");
    if (flags.check && (flags.compile_only || flags.report || flags.compare))
        return usage_error(
            "--check runs programs: it does not go with --compile-only, --report or --compare");
    if (flags.inputs > 1 && (flags.compile_only || flags.report || flags.compare))
        return usage_error(
            "--inputs runs programs: it does not go with --compile-only, --report or --compare");
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

std::uint64_t most_file_bytes(const eval_flags& flags) {
    return std::max(sandbox_limits().file_bytes, static_cast<std::uint64_t>(flags.memory) << 30);
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
