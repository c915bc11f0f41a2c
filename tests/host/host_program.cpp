// host_program [--check | --races] [--fibers | --split | --forms] [--seed N] [--asynchronous] [--threads N]
// [--memory MIB] [--processes N] [--no-keys] [--no-digests] CACHE FILE...: compiles
// and runs CUDA programs with the host backend, in its sandbox, and prints a line of JSON for each:
// its name, its kernels with barriers and the reason why they keep their fibers, the errors of
// compiling, the exit code, the seconds, what the runtime reported on its channel, and its output.
// `#include "check.h"` and other headers of this folder, or of the program's, stand for their text.
// With --forms, prints only the name and the kernels.
// --no-keys: as on a processor without memory protection keys. --no-digests: does not record device
// memory after each launch, for timings.
// --runtime: prints the hash of the runtime that the archives in CACHE are kept by, and ends.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <string_view>

#include "cuset/host/runtime_files.h"
#include "cuset/host/translation.h"
#include "cuset/judge/host_backend.h"
#include "cuset/sandbox/scratch_root.h"
#include "cuset/stream/json_text.h"

namespace {

using namespace cuset;
namespace fs = std::filesystem;

std::string json_string(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        char code[8];
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || c == '"' || c == '\\' || byte > 0x7e) {
            std::snprintf(code, sizeof code, "\\u%04x", byte);
            out += code;
        } else {
            out += c;
        }
    }
    return out + '"';
}

/// A file with the headers that its quoted #includes name, each once, if they are beside it or in
/// this source file's folder. Lines keep their numbers in g++'s messages and in __LINE__, but the
/// translation counts those of the headers too.
std::string with_headers(const fs::path& file, std::set<fs::path>& included) {
    std::ifstream in(file);
    std::string text;
    std::size_t number = 0;
    constexpr std::string_view include = "#include \"";
    for (std::string line; std::getline(in, line);) {
        ++number;
        if (line.starts_with(include) && line.ends_with('"')) {
            const std::string name = line.substr(include.size(), line.size() - include.size() - 1);
            fs::path header = file.parent_path() / name;
            if (!fs::exists(header)) header = fs::path(HOST_TESTS) / name;
            if (fs::exists(header))
                line = (included.insert(header).second ? with_headers(header, included) : "") +
                       "#line " + std::to_string(number + 1);
        }
        text += line == "#pragma once" ? "" : line;
        text += '\n';
    }
    return text;
}

status run_all(const host_options& options, program_form form, bool forms_only, run_order order, bool keys,
               const sandbox_limits& limits, const fs::path& cache,
               const std::vector<std::string>& files) {
    CUSET_ASSIGN(const sandbox box, sandbox::open(false));
    CUSET_ASSIGN(const scratch_root scratch, scratch_root::make(fs::temp_directory_path()));
    CUSET_ASSIGN(const auto backend, host_backend::open(box, options, cache, scratch.path(), {}));
    int number = 0;
    for (const auto& file : files) {
        std::set<fs::path> included;
        const std::string source = with_headers(file, included);
        std::string kernels;
        for (const kernel_form& k : translate_for_host(source, {}, barrier_form::split).kernels)
            kernels += (kernels.empty() ? "" : ",") +
                       ('[' + json_string(k.name) + ',' + json_string(k.obstacle) + ']');
        std::cout << "{\"file\":" << json_string(file) << ",\"kernels\":[" << kernels << ']';
        if (forms_only) {
            std::cout << "}" << std::endl;
            continue;
        }
        CUSET_ASSIGN(const compilation compiled, backend->compile(file_of_any_language(source), form));
        run_report report;
        std::string launches;
        if (compiled.end == compile_end::compiled) {
            sandbox_request request;
            request.work = scratch.path() / ("run" + std::to_string(++number));
            request.limits = limits;
            fs::create_directories(request.work);
            if (!keys) request.environment.emplace_back("CUSET_HOST_KEYS", "0");
            CUSET_ASSIGN(report, backend->run(compiled.program, request, order));
            CUSET_ASSIGN(program_outcome outcome, backend->outcome_of(report));
            if (outcome.streams == stream_need::needed) {
                CUSET_ASSIGN(report, backend->run(compiled.program, request, {order.seed, true}));
                CUSET_ASSIGN(outcome, backend->outcome_of(report));
            }
            launches = outcome.launches;
        }
        std::cout << ",\"compiled\":" << (compiled.end == compile_end::compiled ? "true" : "false")
                  << ",\"cached\":" << (compiled.cached ? "true" : "false") << ",\"unsupported\":"
                  << (compiled.end == compile_end::unsupported ? "true" : "false")
                  << ",\"diagnostic\":" << json_string(compiled.diagnostic)
                  << ",\"exited\":" << (report.end == run_end::exited ? "true" : "false")
                  << ",\"code\":" << report.code << ",\"seconds\":" << report.seconds
                  << ",\"compile_seconds\":" << compiled.seconds
                  << ",\"launches\":" << json_string(launches)
                  << ",\"channel\":" << json_string(report.channel_output)
                  << ",\"out\":" << json_string(report.out)
                  << ",\"err\":" << json_string(report.err) << "}" << std::endl;
    }
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    host_options options;
    options.build_threads = 2;
    options.schedules = 2;                 // digests are kept only with more than one
    options.compile_limits.seconds = 300;  // for a busy machine
    run_order order = 0;
    program_form form = program_form::plain;
    bool forms_only = false;
    bool keys = true;
    sandbox_limits limits;
    int at = 1;
    for (; at < argc && std::string(argv[at]).starts_with("--"); ++at) {
        const std::string word = argv[at];
        if (word == "--runtime") {
            std::printf("%016llx", static_cast<unsigned long long>(host_runtime_hash()));
            return 0;
        }
        if (word == "--check") options.checked = true;
        if (word == "--races") form = program_form::searched;
        if (word == "--fibers") options.barriers = host_barriers::fibers;
        if (word == "--split") options.barriers = host_barriers::split;
        if (word == "--forms") forms_only = true;
        if (word == "--no-keys") keys = false;
        if (word == "--no-digests") options.schedules = 1;
        if (word == "--threads" && at + 1 < argc)
            options.run_threads = std::strtoull(argv[++at], nullptr, 10);
        if (word == "--seed" && at + 1 < argc) order.seed = std::strtoull(argv[++at], nullptr, 10);
        if (word == "--asynchronous") order.has_asynchronous_streams = true;
        if (word == "--memory" && at + 1 < argc)
            limits.memory_bytes = std::strtoull(argv[++at], nullptr, 10) << 20;
        if (word == "--processes" && at + 1 < argc)
            limits.processes = std::strtoull(argv[++at], nullptr, 10);
    }
    if (argc - at < 2) return 2;
    const std::vector<std::string> files(argv + at + 1, argv + argc);
    const status done =
        run_all(options, form, forms_only, order, keys, limits, fs::absolute(argv[at]), files);
    if (!done) std::cerr << done.message() << '\n';
    return done ? 0 : 1;
}
