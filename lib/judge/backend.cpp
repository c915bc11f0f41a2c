#include "cuset/judge/backend.h"

#include <cstdlib>
#include <utility>

#include "program_path.h"
#include "sandbox_command.h"

namespace cuset {

std::optional<gpu> find_gpu() {
    const std::string program = program_in_path("nvidia-smi");
    if (program.empty()) return {};
    const auto plain = sandbox::open(true);
    if (!plain) return {};
    sandbox_request request;
    request.command = {program, "--query-gpu=name,compute_cap", "--format=csv,noheader"};
    if (const char* visible = std::getenv(device_variables[0]); visible && *visible) {
        const std::string devices = visible;
        request.command.push_back("--id=" + devices.substr(0, devices.find(',')));
    }
    request.work = "/";
    request.limits = {.seconds = 60, .file_bytes = UINT64_MAX};
    const auto report = plain->run(request);
    if (!report || report->end != run_end::exited || report->code != 0) return {};
    // "NVIDIA H200, 9.0"
    const std::string line = report->out.substr(0, report->out.find('\n'));
    const std::size_t comma = line.rfind(", ");
    if (comma == line.npos) return {};
    gpu found{line.substr(0, comma), "sm_"};
    for (const char c : line.substr(comma + 2))
        if (c >= '0' && c <= '9') found.architecture += c;
    return found;
}

namespace {

std::string describe(const toolkit& kit, const compile_options& options) {
    std::string text = "nvcc " + kit.version;
    for (const auto& flag : options.flags) text += ' ' + flag;
    return text;
}

}  // namespace

gpu_backend::gpu_backend(const sandbox& box, toolkit kit, compile_options options,
                         std::filesystem::path cache, std::filesystem::path scratch,
                         std::vector<std::string> launcher)
    : box_(box),
      toolchain_(describe(kit, options)),
      compiler_(box, std::move(kit), std::move(options), std::move(cache), std::move(scratch)),
      launcher_(std::move(launcher)) {}

result<compilation> gpu_backend::compile(std::string_view source) const {
    return compiler_.compile(source);
}

result<run_report> gpu_backend::run(const std::filesystem::path& program, sandbox_request request,
                                    std::uint64_t) const {
    request.command = {"./program"};
    request.mounts.push_back({program, "/job/program"});
    request.gpu = true;
    for (const char* name : device_variables)
        if (const char* value = std::getenv(name); value && launcher_.empty())
            request.environment.emplace_back(name, value);
    request.launcher = launcher_;
    return box_.run(request);
}

}  // namespace cuset
