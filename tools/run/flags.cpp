#include "flags.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "cuset/host/architectures.h"
#include "cuset/stream/library_versions.h"
#include "tool.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> run_description() {
    return paragraphs(R"(
Compiles the FILEs, which are sources of one CUDA program, links them together and runs the
program, without a GPU: on the host backend of cuset-eval, which models one on this machine's
processor. What the program prints appears as it prints it, line by line, and it is given what
standard input has. Words behind -- are its arguments.

What is wrong in the program is said on standard error, in a line of the form
FILE:LINE: KIND: MESSAGE, with kernel, block and thread: accesses of kernels to bad addresses,
refused launches, and data races. A program that ended by itself runs once more for the latter,
compiled so that each access to memory is seen; what it prints then is not shown. That run begins
with the last thread of each block. A program that ends with another code than 0 there, but not in
the order of the first run, is a race too; cuset-eval(1) has the rule. With --check each
access of the run that is shown is looked at too, and further runs have other orders of threads.
After a race, and after a read of memory that nobody has written, the program goes on, so that
others are found too: one line for each kind and source line, at most 20. The first decides.
The kinds are those of cuset-eval(1), which tells what is found and what cannot be. A program that
ends with another code than 0 and would end with 0 if the threads of each warp ran in step has a
race.

The program sees the headers that its sources include: those beside them and in the folders of -I.
It runs in a sandbox (see cuset-sandbox(7)), without a network, without this user's environment, and
in a folder of its own. It sees no other file than those of --inputs and --dir. The toolkit's
libraries that it calls need not be named: nvcc is asked to link them (-lcublas and the like), and
on the host backend a note says so.

What CUDA has and the host backend does not model is "unsupported", and says nothing about the
program: cuset-host(7) lists what it has. It reads programs in HIP too, where the name of a file
ends in .hip, or a header of HIP is surely included: see there.

Standard input is read ahead: what the program leaves is lost. Later runs are given the same input
and the same files as the first one. If a program needs streams that work while its host code goes
on, it runs once more with such streams; what it prints beyond the first run then appears when it
ends.
)");
}

}  // namespace

program describe(run_flags& flags) {
    program p =
        new_program("cuset-run", "compile and run a CUDA program, and say what is wrong in it");
    p.description = run_description();
    p.files = &flags.stream.files;
    p.operands = "FILE... [-- ARGUMENT...]";
    p.arguments = &flags.arguments;
    p.add({
        {0, "check", "",
         "Check every access of the program and run it under several orders of threads. This needs "
         "the host backend and takes several times as long.",
         &flags.check},
        {0, "schedules", "N",
         "Orders of threads and blocks that --check tries: the plain one, and N - 1 that are drawn "
         "with --seed. 0 is 4 with --check and 1 without it.",
         &flags.schedules, between(0, 1000)},
        {0, "seed", "N", "The seed of the orders of --schedules.", &flags.seed},
        {0, "no-confirm", "", "Do not run the program once more in search of data races.",
         &flags.no_confirm},
        {0, "count", "",
         "Run the program once more, compiled so that what its kernels execute and touch is "
         "counted: a table on standard error, with a line for each kernel, place and "
         "configuration, and columns separated by tabs. cuset-host(7) says what is exact. It needs "
         "the host backend and takes up to 30 times as long.",
         &flags.count},
        {0, "launches", "N",
         "As --count, but the run that counts is the only one, and the program ends behind its "
         "N-th launch. What it prints until then is shown.",
         &flags.launches, between(1, std::int64_t{1} << 40)},
        {0, "estimate", "GPU",
         "As --count, and with the time that this GPU would take for one launch: an estimate by "
         "its peaks. One of " +
             gpu_model_names() + ".",
         &flags.estimate},
        {0, "inputs", "DIR",
         "A folder that the program may read: it has the folder's own name in the current folder "
         "of "
         "the program. It may be given several times.",
         &flags.inputs, value_kind::folder},
        {0, "dir", "DIR",
         "A folder that the program may read and write: its current folder is a copy of DIR. When "
         "the first run ends, the files that it has made or changed are put into DIR; what it has "
         "removed stays there.",
         &flags.dir, value_kind::folder},
        {'I', "include-path", "DIR", "A folder of headers. It may be given several times.",
         &flags.include_folders, value_kind::folder},
        {'D', "define-macro", "NAME=VALUE",
         "Define a macro, as 1 without =VALUE. It may be given several times.", &flags.definitions},
        {0, "json", "",
         "Say what was found as one JSON object, in the last line of standard error: file, line, "
         "stage, failure (null if there is none), diagnostic, notes, exit_code and signal of the "
         "program, seconds, backend and toolchain, where there are any compiler, order and "
         "findings "
         "(each with kind, message, file and line), and with --count cost, as verdicts of "
         "cuset-eval(1) have it.",
         &flags.json},
        {0, "backend", "NAME",
         "Where the program runs: on a model of a GPU on this machine's processor, or on a GPU, "
         "compiled by nvcc. nvcc is another name of gpu. On a GPU, errors are known only from what "
         "the program prints.",
         &flags.backend, one_of("host", "gpu", "nvcc")},
        {0, "arch", "NAME",
         "The architecture for nvcc's -arch; by default that of the GPU. With the host backend, "
         "the "
         "GPU to model: " +
             host_architectures() + "; by default " + std::string(default_host_architecture()) +
             ".",
         &flags.arch},
        {0, "nvcc", "PROGRAM",
         "nvcc: a path, or a name in PATH. The host backend asks it about programs that g++ "
         "refuses "
         "and about those that passed, where it is installed; with the word none it does not.",
         &flags.nvcc, value_kind::file},
        {0, "nvcc-flags", "FLAGS",
         "More flags for nvcc, separated by blanks. The host backend's g++ takes -D, -U, -I and "
         "-std= of C++17 or later; its translation takes extended-lambda and "
         "expt-relaxed-constexpr; it ignores the others.",
         &flags.nvcc_flags},
        {0,
         "timeout",
         "SECONDS",
         "How long each run of the program may take.",
         &flags.timeout,
         {},
         {"time-limit"}},
        {0, "memory", "GIB",
         "How much memory of this machine the program may take. 0 means 8, or 16 with the host "
         "backend, where the GPU's memory counts too.",
         &flags.memory, between(0, 1 << 20)},
        {0, "compile-timeout", "SECONDS", "How long nvcc or g++ may take.", &flags.compile_timeout},
        {0, "cache-size", "GIB",
         "How much space compiled programs and the host backend's runtime may take in the cache: "
         "see cuset-eval(1).",
         &flags.cache_size, between(0, 1 << 20)},
        {0, "unsafe-no-sandbox", "",
         "Run the program and its compiler with all rights of this user.",
         &flags.unsafe_no_sandbox},
        {'q', "quiet", "", "Print no notes. What is wrong in the program is always said.",
         &flags.stream.quiet},
    });
    p.exit_codes = {
        {0,
         "The program ended with 0, and nothing was found. If it ends by itself with another "
         "code and nothing is found, the exit code is the program's, which may be one of those "
         "below; what cuset-run says on standard error tells them apart."},
        {1, "A file cannot be read, or a system call failed."},
        {2, "The command line is wrong."},
        {4, "No compiler, no GPU, or no sandbox."},
        {run_code::found,
         "Something is wrong in the program: a race, a bad address, a refused launch and the "
         "like."},
        {run_code::not_compiled, "The program does not compile."},
        {run_code::not_modelled, "The host backend does not model what the program needs."},
        {run_code::too_long, "The program took longer than --timeout."},
        {run_code::too_much,
         "The program took too much memory, or too many processes, or wrote too much."},
        {128, "128 + N: signal N ended the program."},
    };
    p.environment = {
        {"XDG_CACHE_HOME", "The cache is its folder cuset; ~/.cache/cuset without it."},
        {"CUSET_CUDA_INCLUDE",
         "The folder of CUDA's own headers. Without it, a toolkit's or PyPI's: see "
         "cuset-host(7)."},
        {"TMPDIR", "Where the program runs."}};
    p.build_details = [] { return stream_library_versions(); };
    p.examples = {
        {"cuset-run histogram.cu", "Run a program, and look for races in it."},
        {"cuset-run --check histogram.cu -- 1000", "Check each access of a run with an argument."},
        {"cuset-run --inputs data --dir out main.cu kernels.cu",
         "Run a program of two files that reads data/ and writes into its current folder."},
    };
    p.see_also = {"cuset-eval", "cuset-host(7)", "cuset-sandbox(7)"};
    return p;
}

status check(run_flags& flags) {
    if (flags.stream.files.empty()) return usage_error("FILE is needed: a source of the program");
    if (flags.check && flags.backend != "host")
        return usage_error("--check needs the host backend, not the GPU");
    flags.count |= flags.launches > 0;
    if (!flags.estimate.empty()) {
        flags.count = true;
        flags.estimated = gpu_model_named(flags.estimate);
        if (flags.estimated == nullptr)
            return usage_error("--estimate: no such GPU: " + flags.estimate + " (" +
                               gpu_model_names() + ")");
    }
    if (flags.count && flags.backend != "host")
        return usage_error("--count needs the host backend, not the GPU");
    if (flags.launches > 0 && flags.check)
        return usage_error("--launches has the only run: --check does not go with it");
    if (flags.launches > 0 && !flags.dir.empty())
        return usage_error("--launches ends the program: --dir does not go with it");
    if (flags.schedules > 0 && !flags.check) return usage_error("--schedules needs --check");
    if (!(flags.timeout > 0) || !(flags.compile_timeout > 0))
        return usage_error("--timeout and --compile-timeout are seconds above 0");
    return {};
}

judge_environment_options to_environment_options(const run_flags& flags) {
    judge_environment_options options;
    options.backend = flags.backend == "host" ? backend_choice::host : backend_choice::gpu;
    options.runs_scripts = false;
    options.nvcc = flags.nvcc;
    options.nvcc_flags = words_at_blanks(flags.nvcc_flags);
    options.architecture = flags.arch;
    options.checked = flags.check;
    options.searches = !flags.no_confirm;
    options.counted_launches = static_cast<std::uint64_t>(flags.launches);
    if (flags.estimated != nullptr) {
        options.l2_bytes = static_cast<std::uint64_t>(flags.estimated->l2_bytes);
        options.multiprocessors = static_cast<std::uint64_t>(flags.estimated->multiprocessors);
    }
    if (flags.check)
        options.schedules = flags.schedules > 0 ? static_cast<std::size_t>(flags.schedules) : 4;
    options.seed = static_cast<std::uint64_t>(flags.seed);
    options.compile_seconds = flags.compile_timeout;
    options.run_seconds = flags.timeout;
    options.run_memory = static_cast<std::uint64_t>(flags.memory) << 30;
    options.cache_bytes = static_cast<std::uint64_t>(flags.cache_size) << 30;
    options.unsafe_no_sandbox = flags.unsafe_no_sandbox;
    options.tells_backend = false;
    return options;
}

namespace {

/// The folder's whole path.
result<fs::path> folder_of(const std::string& option, const std::string& name) {
    std::error_code error;
    fs::path whole = fs::canonical(name, error);
    if (error) return io_error(name, error.value());
    if (!fs::is_directory(whole, error)) return usage_error(option + ": " + name + " is no folder");
    return whole;
}

/// A program that root starts runs as a user that nobody else is.
status check_readable(const fs::path& folder) {
    struct stat about {};
    if (::geteuid() != 0 || ::stat(folder.c_str(), &about) != 0 || (about.st_mode & 5) == 5)
        return {};
    return usage_error("--inputs: others than its owner cannot read " + folder.string() +
                       ", and root's programs run as another user");
}

std::string program_name(const run_flags& flags) {
    return fs::path(flags.stream.files.front()).stem().string();
}

}  // namespace

result<program_files> read_files(const run_flags& flags) {
    for (const auto& folder : flags.include_folders) {
        CUSET_ASSIGN([[maybe_unused]] const fs::path whole, folder_of("-I", folder));
    }
    return program_files::read({flags.stream.files, flags.include_folders, flags.definitions});
}

result<program_request> to_request(const run_flags& flags, const program_files& files) {
    program_request request;
    request.source = files.source();
    request.arguments = flags.arguments;
    if (!flags.dir.empty()) {
        CUSET_ASSIGN(request.folder, folder_of("--dir", flags.dir));
    }
    std::vector<std::string> taken;
    for (const auto& name : flags.inputs) {
        CUSET_ASSIGN(const fs::path folder, folder_of("--inputs", name));
        CUSET_TRY(check_readable(folder));
        const std::string called = folder.filename().string();
        if (called.empty()) return usage_error("--inputs " + name + ": it has no name");
        if (std::ranges::find(taken, called) != taken.end())
            return usage_error("--inputs " + name + ": another one is called " + called + " too");
        taken.push_back(called);
        request.mounts.push_back({folder, "/job/" + called});
    }
    // Where a file or folder is called like the program, the latter has another name.
    request.name = program_name(flags);
    std::error_code error;
    while (std::ranges::find(taken, request.name) != taken.end() ||
           (!request.folder.empty() &&
            fs::symlink_status(request.folder / request.name, error).type() !=
                fs::file_type::not_found))
        request.name += '_';
    return request;
}

}  // namespace cuset
