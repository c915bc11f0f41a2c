// host_program [--check] [--fibers | --split | --forms] [--seed N] [--asynchronous] [--threads N]
// [--memory MIB]
// [--processes N] [--no-headers] [--no-keys] [--no-digests] CACHE FILE...: compiles and runs CUDA
// programs with the host backend, in its sandbox, and prints a line of JSON for each: its name, its
// kernels with barriers and the reason why they keep their fibers, the errors of compiling, the
// exit code, the seconds, and its output. With --forms, prints only the name and the kernels.
// --no-headers: as on a machine without CUDA's headers. --no-keys: as on a processor without memory
// protection keys. --no-digests: does not record device memory after each launch, for timings.
// --runtime: prints the hash of the runtime that the archives in CACHE are kept by, and ends.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "cuset/host/runtime_files.h"
#include "cuset/host/translation.h"
#include "cuset/judge/host_backend.h"
#include "cuset/judge/scratch_root.h"
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

status run_all(const host_options& options, bool forms_only, run_order order, bool keys,
               const sandbox_limits& limits, const fs::path& cache,
               const std::vector<std::string>& files) {
    CUSET_ASSIGN(const sandbox box, sandbox::open(false));
    CUSET_ASSIGN(const scratch_root scratch, scratch_root::make(fs::temp_directory_path()));
    CUSET_ASSIGN(const auto backend, host_backend::open(box, options, cache, scratch.path(), {}));
    int number = 0;
    for (const auto& file : files) {
        std::ifstream in(file);
        const std::string source{std::istreambuf_iterator<char>(in), {}};
        std::string kernels;
        for (const kernel_form& k : translate_for_host(source, {}, barrier_form::split).kernels)
            kernels += (kernels.empty() ? "" : ",") +
                       ('[' + json_string(k.name) + ',' + json_string(k.obstacle) + ']');
        std::cout << "{\"file\":" << json_string(file) << ",\"kernels\":[" << kernels << ']';
        if (forms_only) {
            std::cout << "}" << std::endl;
            continue;
        }
        CUSET_ASSIGN(const compilation compiled, backend->compile(source));
        run_report report;
        std::string launches;
        if (compiled.end == compile_end::compiled) {
            sandbox_request request;
            request.work = scratch.path() / ("run" + std::to_string(++number));
            request.limits = limits;
            fs::create_directories(request.work);
            if (!keys) request.environment.emplace_back("CUSET_HOST_KEYS", "0");
            CUSET_ASSIGN(report, backend->run(compiled.program, request, order));
            if (backend->streams_of(report) == stream_need::needed) {
                CUSET_ASSIGN(report, backend->run(compiled.program, request, {order.seed, true}));
            }
            launches = backend->launch_record(report);
        }
        std::cout << ",\"compiled\":" << (compiled.end == compile_end::compiled ? "true" : "false")
                  << ",\"cached\":" << (compiled.cached ? "true" : "false") << ",\"unsupported\":"
                  << (compiled.end == compile_end::unsupported ? "true" : "false")
                  << ",\"diagnostic\":" << json_string(compiled.diagnostic)
                  << ",\"exited\":" << (report.end == run_end::exited ? "true" : "false")
                  << ",\"code\":" << report.code << ",\"seconds\":" << report.seconds
                  << ",\"launches\":" << json_string(launches)
                  << ",\"told\":" << json_string(report.told)
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
        if (word == "--fibers") options.barriers = host_barriers::fibers;
        if (word == "--split") options.barriers = host_barriers::split;
        if (word == "--forms") forms_only = true;
        if (word == "--no-headers") options.without_cuda_headers = true;
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
        run_all(options, forms_only, order, keys, limits, fs::absolute(argv[at]), files);
    if (!done) std::cerr << done.message() << '\n';
    return done ? 0 : 1;
}
