#include "cuset/judge/gpu_backend.h"

#include <charconv>
#include <cstdlib>
#include <utility>

#include "build/compiler_run.h"
#include "build/hip_program.h"
#include "cuset/base/visible_text.h"
#include "cuset/sandbox/channel_lines.h"
#include "cuset/sandbox/file_text.h"
#include "cuset/sandbox/program_path.h"
#include "cuset/sandbox/scratch_folder.h"
#include "cuset/sandbox/text_lines.h"
#include "programs.h"
#include "trial/device_activity.h"
#include "trial/driver_folder.h"
#include "trial/launch_counter.h"
#include "trial/profiled_run.h"
#include "trial/run_failure.h"

namespace cuset {

namespace {

/// The first line of what nvidia-smi says of this machine's GPU; empty if it says nothing.
std::string asked_of_gpu(const std::string& query) {
    const std::string program = program_in_path("nvidia-smi");
    if (program.empty()) return {};
    const auto plain = sandbox::open(true);
    if (!plain) return {};
    sandbox_request request;
    request.command = {program, "--query-gpu=" + query, "--format=csv,noheader,nounits"};
    if (const char* visible = std::getenv(device_variables[0]); visible && *visible) {
        const std::string devices = visible;
        request.command.push_back("--id=" + devices.substr(0, devices.find(',')));
    }
    request.work = "/";
    request.limits = {.seconds = 60, .file_bytes = UINT64_MAX};
    add_driver_folder(request);  // which has the library that nvidia-smi asks
    const auto report = plain->run(request);
    if (!report || !report->succeeded()) return {};
    return std::string(first_line(report->out));
}

}  // namespace

std::optional<gpu> find_gpu() {
    // "NVIDIA H200, 9.0"
    const std::string answer = asked_of_gpu("name,compute_cap");
    const std::string_view line = answer;
    const std::size_t comma = line.rfind(", ");
    if (comma == line.npos) return {};
    gpu found{std::string(line.substr(0, comma)), "sm_"};
    for (const char c : line.substr(comma + 2))
        if (c >= '0' && c <= '9') found.architecture += c;
    return found;
}

std::optional<std::uint64_t> gpu_clock() {
    const std::string answer = asked_of_gpu("clocks.sm");
    std::uint64_t clock = 0;
    if (std::from_chars(answer.data(), answer.data() + answer.size(), clock).ec != std::errc())
        return {};
    return clock;
}

namespace {

std::string describe(const toolkit& kit, const compile_options& options) {
    std::string text = "nvcc " + kit.version;
    for (const auto& flag : options.flags) text += ' ' + flag;
    return text;
}

/// Takes "sm_90" from -arch=sm_90; empty without such a flag.
std::string architecture_in(const compile_options& options) {
    constexpr std::string_view name = "-arch=";
    for (const auto& flag : options.flags)
        if (flag.starts_with(name)) return flag.substr(name.size());
    return {};
}

}  // namespace

gpu_backend::gpu_backend(const sandbox& box, toolkit kit, compile_options options,
                         entry_cache cache, std::filesystem::path scratch,
                         std::vector<std::string> launcher)
    : box_(box),
      toolchain_(describe(kit, options)),
      architecture_(architecture_in(options)),
      kit_(kit),
      compiler_(box, std::move(kit), std::move(options), cache, scratch),
      cache_(std::move(cache)),
      scratch_(std::move(scratch)),
      launcher_(std::move(launcher)) {}

backend_description gpu_backend::description() const {
    return {.name = "gpu", .toolchain = toolchain_, .has_device = true};
}

result<compilation> gpu_backend::compile(const program_source& source, program_form form) const {
    compilation none;
    none.end = compile_end::unsupported;
    if (form != program_form::plain) return none;
    if (!is_hip_program(source)) return compiler_.compile(source);
    none.diagnostic = "HIP on a GPU of NVIDIA";
    return none;
}

std::string gpu_backend::lacks(std::string_view toolkit, std::string_view capability) const {
    std::string missing = missing_toolkit(toolkit, kit_.version);
    return missing.empty() ? missing_capability(capability, architecture_) : missing;
}

result<run_report> gpu_backend::run(const std::filesystem::path& program, sandbox_request request,
                                    run_order order, const std::filesystem::path& place) const {
    if (request.command.empty()) request.command = {"./program"};
    request.mounts.push_back({program, "/job" / place});
    reach_device(request);
    if (order.profiles && !profiler_.empty())
        return run_profiled(box_, profiler_, kit_, std::move(request));
    // The driver loads one library.
    const auto& watching = order.records_activity ? activity_log_ : launch_counter_;
    if (watching) add_launch_counter(watching->program, kit_, request);
    return box_.run(request);
}

void gpu_backend::reach_device(sandbox_request& request) const {
    request.gpu = true;
    for (const char* name : device_variables)
        if (const char* value = std::getenv(name); value && launcher_.empty())
            request.environment.emplace_back(name, value);
    if (launcher_.empty()) add_driver_folder(request);
    request.launcher = launcher_;
}

result<run_report> gpu_backend::run_on_device(sandbox_request request) const {
    reach_device(request);
    if (!kit_.root.native().starts_with("/usr/")) request.mounts.push_back({kit_.root, kit_.root});
    // An environment of Python's has its own ninja.
    const std::filesystem::path folder =
        std::filesystem::path(request.command.front()).parent_path();
    request.environment.emplace_back("CUDA_HOME", kit_.root.string());
    request.environment.emplace_back(
        "PATH", folder.string() + ':' + (kit_.root / "bin").string() + ':' + search_path);
    return box_.run(request);
}

/// Compiles and runs a program of our own in a new folder; exit code 1 if it does not compile.
result<run_report> gpu_backend::run_own(std::string_view source, run_order order) const {
    CUSET_ASSIGN(const compilation compiled, compiler_.compile(single_file(source)));
    run_report failed;
    failed.code = 1;
    failed.err = compiled.diagnostic;
    if (compiled.end != compile_end::compiled) return failed;
    CUSET_ASSIGN(const scratch_folder scratch, scratch_folder::make(scratch_));
    sandbox_request request;
    request.work = scratch.path() / "run";
    CUSET_TRY(make_folder(request.work));
    return run(compiled.program, std::move(request), order);
}

status gpu_backend::record_activity() {
    const compiler builder(box_, kit_, {launch_counter_flags(kit_), {}}, cache_, scratch_);
    CUSET_ASSIGN(compilation library, builder.compile(single_file(activity_log_cu)));
    if (library.end != compile_end::compiled)
        return unsupported("--time needs CUPTI, which is part of the CUDA toolkit: " +
                           library.diagnostic);
    activity_log_ = std::move(library);
    run_order recorded(0);
    recorded.records_activity = true;
    CUSET_ASSIGN(const run_report report, run_own(launching_cu, recorded));
    std::string fault = times_of_activity(report.channel_output).fault;
    if (!report.succeeded()) fault = "a program of our own does not run";
    if (fault.empty()) return {};
    activity_log_.reset();
    return unsupported("--time: CUPTI does not record a program of our own: " + fault);
}

status gpu_backend::prepare_profiling() {
    profiler_ = find_profiler(kit_);
    if (profiler_.empty() && launcher_.empty())
        return unsupported("--profile ncu needs Nsight Compute: ncu is neither in PATH nor in " +
                           (kit_.root / "bin").string());
    if (profiler_.empty()) profiler_ = "ncu";  // of the machine that the launcher reaches
    run_order profiled(0);
    profiled.profiles = true;
    CUSET_ASSIGN(const run_report report, run_own(launching_cu, profiled));
    const std::string_view text = profile_in(report.channel_output);
    std::string fault = profile_of(text).not_profiled;
    if (!report.succeeded() && text.find("==ERROR==") == text.npos)
        fault = "it ends with exit code " + std::to_string(report.code) + ": " +
                visible_text(last_line(report.err));
    if (fault.empty()) return {};
    profiler_.clear();
    return unsupported("--profile ncu does not profile a program of our own here: " + fault);
}

status gpu_backend::settle_device() const {
    CUSET_ASSIGN(const run_report report, run_own(device_settling_cu));
    if (report.succeeded()) return {};
    return unsupported("the program that settles the GPU between runs fails: " +
                       std::string(first_line(report.err)));
}

std::optional<std::uint64_t> gpu_backend::device_clock() const {
    return launcher_.empty() ? gpu_clock() : std::nullopt;
}

status gpu_backend::count_launches() {
    const compiler builder(box_, kit_, {launch_counter_flags(kit_), {}}, cache_, scratch_);
    CUSET_ASSIGN(compilation counter, builder.compile(single_file(launch_counter_cu)));
    if (counter.end == compile_end::compiled) {
        launch_counter_ = std::move(counter);
        CUSET_ASSIGN(const run_report report, run_own(launching_cu));
        if (most_of(report.channel_output, "launches ") != 1) launch_counter_.reset();
    }
    toolchain_ +=
        launch_counter_ ? ", launches counted by CUPTI" : ", launches read from the source";
    return {};
}

result<program_outcome> gpu_backend::outcome_of(const run_report& report) const {
    program_outcome outcome;
    if (launch_counter_)
        outcome.kernels = {most_of(report.channel_output, "launches ").value_or(0), {}};
    if (report.channel_output.find("activity ") != std::string::npos)
        outcome.activity = report.channel_output;
    outcome.profile = profile_in(report.channel_output);
    const bool may_be_of_cuda =
        !report.succeeded() && (report.end == run_end::exited || report.end == run_end::signalled);
    if (!may_be_of_cuda) return outcome;
    outcome.cuda_error = printed_cuda_error(report);
    if (!outcome.cuda_error || outcome.cuda_error->why != failure::evaluator) return outcome;
    constexpr std::string_view looks_for_device =
        "int main() {\n"
        "    int devices = 0;\n"
        "    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 1;\n"
        "    return cudaFree(nullptr) == cudaSuccess ? 0 : 1;\n"
        "}\n";
    CUSET_ASSIGN(const run_report probe, run_own(looks_for_device));
    if (probe.succeeded()) outcome.cuda_error = printed_cuda_error(report, false);
    return outcome;
}

}  // namespace cuset
