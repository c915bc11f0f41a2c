#include "flags.h"

#include "cuset/host/architectures.h"
#include "cuset/judge/candidate_view.h"
#include "cuset/stream/library_versions.h"
#include "tool.h"

namespace cuset {

namespace {

/// What CUDABench gives nvcc, and a program.
constexpr double protocol_seconds = 60;

void add_modes(program& p, eval_flags& flags) {
    p.add({
        {0, "tasks", "FILE", "The tasks, in a format of cuset-tasks(5).", &flags.tasks,
         value_kind::file},
        {0, "verdicts", "FILE",
         "Keep verdicts in FILE, one JSON object a line, each as it comes. Candidates whose "
         "verdict FILE has already are not judged again, unless their text, their task, the "
         "toolchain or a limit has changed: an interrupted evaluation continues.",
         &flags.verdicts, value_kind::file},
        {0, "check-tasks", "",
         "Check the tasks instead of candidates: bench.cu must be right, and compare.py must pass "
         "the reference and fail outputs that are empty, zero, NaN or cut in half. Prints one "
         "JSON object a task, and ends with 1 if all of them are weak, or if Python lacks a module "
         "that one of them imports.",
         &flags.check_tasks},
        {0, "show", "TASK/SAMPLE",
         "Deprecated: cuset-report --show TASK/SAMPLE shows what --verdicts has. This judges the "
         "candidate now where that has no verdict.",
         &flags.show},
    });
}

}  // namespace

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
        {0, "no-confirm", "",
         "Do not run what passed on the host backend once more, in search of data races. A race "
         "may pass then. --protocol cudabench leaves the search out too.",
         &flags.no_confirm},
        {0, "count", "",
         "Run what passed on the host backend once more, compiled so that what its kernels execute "
         "and touch is counted: \"cost\" in its verdict, for cuset-report --costs. cuset-host(7) "
         "says what is exact. It takes up to 30 times as long.",
         &flags.count},
        {0, "estimate", "GPU",
         "As --count, and with the time that this GPU would take for the program's launches, "
         "beside "
         "that for bench.cu's: an estimate by its peaks. One of " +
             gpu_model_names() + ".",
         &flags.estimate},
        {0, "time", "N",
         "Measure what passed on a GPU: \"time\" in its verdict, for cuset-report --fast. The "
         "answer "
         "and bench.cu run N times each, in turn, behind two runs that warm up; all work on the "
         "device counts, on whatever stream. 20 is a good number. Nothing else should use the GPU.",
         &flags.time, between(0, 1000)},
        {0, "profile", "NAME",
         "With ncu: run what passed on a GPU once more, under Nsight Compute, which tells how near "
         "its kernel comes to the GPU's roofline: CUDABench's score, \"profile\" in its verdict, "
         "for "
         "cuset-report --profile. ncu is looked for in PATH and in the toolkit of --nvcc. It may "
         "take ten times the --timeout.",
         &flags.profile, one_of("none", "ncu")},
        {0, "protocol", "NAME",
         "The rule by which an answer passes. cudabench is the benchmark's own since February 2026 "
         "(cudabench-2026): its first fence alone, closed, without a tag of letters, digits and _; "
         "no flags for nvcc; 60 s each for compiling and running; whatever compare.py prints, "
         "unless it has an F; results that no kernel made count. The report then has the "
         "benchmark's names too. cudabench-2025 is the rule before: of tags, only cpp and c++ are "
         "left out, so that a block called cuda does not compile, while since then one called c++ "
         "does not.",
         &flags.protocol, one_of("cuset", "cudabench", "cudabench-2025", "cudabench-2026")},
        {0, "fence", "WHICH",
         "Which fenced block of an answer is the program: the first of CUDA or C++, or the last "
         "that is closed. An answer without fences is taken whole. What stands before </think>, "
         "or behind a <think> that does not end, is reasoning and no answer.",
         &flags.fence, one_of("first", "last")},
        {0, "accept-no-launch", "",
         "Count right results even if no kernel made them, as CUDABench does.",
         &flags.accept_no_launch},
        {0, "inputs", "N",
         "Sets of inputs that a program has to pass: that of gen.py, and N - 1 that it makes with "
         "other seeds, which are drawn with --seed. A task whose own "
         "bench.cu does not pass them is named.",
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

program describe(eval_flags& flags) {
    program p = new_program("cuset-eval", "compile, run and compare what a model wrote");
    p.description = eval_description();
    add_modes(p, flags);
    add_judging(p, flags);
    add_counting_flags(p, flags.counting,
                       "The seed of the bootstrap, of the orders of --schedules and of the sets of "
                       "--inputs.");
    add_stream_flags(p, flags.stream);
    for (auto& e : p.exit_codes)
        if (e.code == 3)
            e.meaning += " Or some candidates could not be judged, by no fault of theirs.";
    p.exit_codes.push_back(
        {4, "No GPU, no compiler, no Python, or no sandbox, and the mode needs it."});
    p.environment.emplace_back("XDG_CACHE_HOME",
                               "The cache is its folder cuset; ~/.cache/cuset without it.");
    p.environment.emplace_back("CUSET_CUDA_INCLUDE",
                               "The folder of CUDA's own headers, for --backend=host. Without it, "
                               "a toolkit's or PyPI's: see cuset-host(7).");
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
    };
    p.see_also = {"cuset-sample",   "cuset-report",     "cuset-curate",
                  "cuset-tasks(5)", "cuset-sandbox(7)", "cuset-host(7)"};
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

/// Counters are read where a GPU runs one program.
status check_profile(const eval_flags& flags) {
    if (flags.profile == eval_flags().profile) return {};
    if (flags.backend == "host" || flags.check || flags.count || !flags.estimate.empty() ||
        flags.compile_only)
        return usage_error("--profile needs the GPU backend, and programs that run there");
    if (flags.concurrent_runs > 1)
        return usage_error(
            "--profile measures one program at a time: it does not go with --concurrent-runs");
    if (flags.check_tasks || !flags.show.empty())
        return usage_error("--profile is for judging candidates");
    return {};
}

}  // namespace

status check(const eval_flags& flags) {
    if (flags.check_tasks && !flags.show.empty())
        return usage_error("--show and --check-tasks are modes: choose one");
    if (!flags.show.empty())
        if (auto name = read_candidate_name(flags.show); !name) return std::move(name).error();
    if (!flags.show.empty() && (flags.counting.json || !flags.counting.junit.empty()))
        return usage_error("--show is a text: --json and --junit do not go with it");
    CUSET_TRY(check(flags.counting));
    if (!flags.counting.pass_at.empty() && (flags.check_tasks || !flags.show.empty()))
        return usage_error("--pass-at is for reports that have Pass@k");
    if (flags.tasks.empty()) return usage_error("--tasks FILE is needed");
    if (flags.check_tasks) {
        if (!flags.stream.files.empty())
            return usage_error("--check-tasks takes no FILE: it judges the tasks");
        if (!flags.verdicts.empty()) return usage_error("--verdicts is for judging candidates");
        if (flags.stream.on_error != "stop")
            return usage_error("--on-error is for judging candidates");
    }
    if (flags.check && flags.backend == "gpu")
        return usage_error("--check needs the host backend, not the GPU");
    if (!flags.estimate.empty() && gpu_model_named(flags.estimate) == nullptr)
        return usage_error("--estimate: no such GPU: " + flags.estimate + " (" + gpu_model_names() +
                           ")");
    if ((flags.count || !flags.estimate.empty()) && (flags.backend == "gpu" || flags.compile_only))
        return usage_error("--count needs the host backend and programs that run");
    if (flags.time > 0 && (flags.backend == "host" || flags.check || flags.count ||
                           !flags.estimate.empty() || flags.compile_only))
        return usage_error("--time needs the GPU backend, and programs that run there");
    if (flags.time > 0 && flags.concurrent_runs > 1)
        return usage_error(
            "--time measures one program at a time: it does not go with --concurrent-runs");
    if (flags.time > 0 && (flags.check_tasks || !flags.show.empty()))
        return usage_error("--time is for judging candidates");
    CUSET_TRY(check_profile(flags));
    if (flags.check && flags.compile_only)
        return usage_error("--check runs programs: it does not go with --compile-only");
    if (flags.inputs > 1 && flags.compile_only)
        return usage_error("--inputs runs programs: it does not go with --compile-only");
    if (flags.schedules > 0 && !flags.check) return usage_error("--schedules needs --check");
    if (!(flags.timeout > 0) || !(flags.compile_timeout > 0) || !(flags.task_timeout > 0))
        return usage_error("--timeout, --compile-timeout and --task-timeout are seconds above 0");
    CUSET_TRY(check_protocol(flags));
    std::vector<std::string> read = flags.stream.files;
    read.insert(read.end(), {flags.tasks, flags.counting.leave_out});
    return check_written_files({{"-o", flags.stream.output},
                                {"--verdicts", flags.verdicts},
                                {"--junit", flags.counting.junit},
                                {"--rejects", flags.stream.rejects}},
                               read);
}

void apply_protocol(eval_flags& flags) {
    if (flags.protocol == eval_flags().protocol) return;
    flags.timeout = flags.compile_timeout = protocol_seconds;
    flags.accept_no_launch = true;
}

protocol rule_of(const eval_flags& flags) {
    if (flags.protocol == "cudabench") return protocol::cudabench_2026;
    return protocol_named(flags.protocol).value_or(protocol::cuset);
}

judge_environment_options to_environment_options(const eval_flags& flags) {
    judge_environment_options options;
    options.backend = backend_named(flags.backend);
    options.runs_programs = !flags.compile_only;
    options.runs_scripts = !flags.compile_only || flags.check_tasks;
    options.nvcc = flags.nvcc;
    options.nvcc_flags = words_at_blanks(flags.nvcc_flags);
    options.gives_nvcc_flags = !is_of_cudabench(rule_of(flags));
    options.architecture = flags.arch;
    options.launcher = words_at_blanks(flags.launcher);
    options.checked = flags.check;
    if (const gpu_model* const estimated = gpu_model_named(flags.estimate)) {
        options.l2_bytes = static_cast<std::uint64_t>(estimated->l2_bytes);
        options.multiprocessors = static_cast<std::uint64_t>(estimated->multiprocessors);
    }
    options.searches = !flags.no_confirm && !is_of_cudabench(rule_of(flags));
    if (flags.check)
        options.schedules = flags.schedules > 0 ? static_cast<std::size_t>(flags.schedules) : 4;
    options.seed = static_cast<std::uint64_t>(flags.counting.seed);
    options.threads = static_cast<int>(flags.stream.threads);
    options.concurrent_runs = static_cast<std::size_t>(flags.concurrent_runs);
    options.times = flags.time > 0;
    options.profiles = flags.profile == "ncu";
    options.compile_seconds = flags.compile_timeout;
    options.run_seconds = flags.timeout;
    options.script_seconds = flags.task_timeout;
    options.run_memory = static_cast<std::uint64_t>(flags.memory) << 30;
    options.script_memory = static_cast<std::uint64_t>(flags.task_memory) << 30;
    options.cache_bytes = static_cast<std::uint64_t>(flags.cache_size) << 30;
    options.python = flags.python;
    options.unsafe_no_sandbox = flags.unsafe_no_sandbox;
    return options;
}

judge_options to_judge_options(const eval_flags& flags, const sandbox_limits& run_limits) {
    judge_options options;
    options.fence = flags.fence == "last" ? fence_choice::last : fence_choice::first;
    options.rule = rule_of(flags);
    options.compile_only = flags.compile_only;
    options.accept_no_launch = flags.accept_no_launch;
    options.inputs = static_cast<std::uint64_t>(flags.inputs);
    options.estimated = gpu_model_named(flags.estimate);
    options.counts = flags.count || options.estimated != nullptr;
    options.timed_runs = static_cast<std::uint64_t>(flags.time);
    options.profiles = flags.profile == "ncu";
    options.run_limits = run_limits;
    options.concurrent_runs = static_cast<std::size_t>(flags.concurrent_runs);
    options.compile_seconds = flags.compile_timeout;
    return options;
}

}  // namespace cuset
