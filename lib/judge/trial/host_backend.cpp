#include "cuset/judge/host_backend.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "build/compiler_run.h"
#include "build/gxx_input.h"
#include "build/hip_program.h"
#include "cuset/base/log.h"
#include "cuset/base/random_key.h"
#include "cuset/cost/sass_operations.h"
#include "cuset/host/build/toolchain.h"
#include "cuset/host/hip.h"
#include "cuset/host/runtime_files.h"
#include "cuset/host/translation.h"
#include "cuset/sandbox/file_text.h"
#include "cuset/sandbox/scratch_folder.h"
#include "cuset/sandbox/text_lines.h"
#include "cuset/stream/json_text.h"
#include "trial/host_backend_state.h"
#include "trial/host_outcome.h"
#include "trial/launches_in_source.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view simplest =
    "__global__ void set(int* x) { *x = 7; }\n"
    "int main() {\n"
    "    int* x = nullptr;\n"
    "    int y = 0;\n"
    "    cudaMalloc(&x, sizeof y);\n"
    "    set<<<1, 1>>>(x);\n"
    "    cudaMemcpy(&y, x, sizeof y, cudaMemcpyDeviceToHost);\n"
    "    cudaFree(x);\n"
    "    return y == 7 ? 0 : 1;\n"
    "}\n";

}  // namespace

host_backend::host_backend(std::unique_ptr<state> made) : state_(std::move(made)) {}
host_backend::~host_backend() = default;

result<std::unique_ptr<host_backend>> host_backend::open(const sandbox& box, host_options options,
                                                         entry_cache cache, fs::path scratch,
                                                         std::vector<std::string> launcher) {
    CUSET_ASSIGN(host_compiler found,
                 host_compiler::find(options.nvcc ? options.nvcc->root : fs::path()));
    host_toolchain::options wanted;
    wanted.standard = options.standard;
    if (options.checked) wanted.variant = host_variant::checked;
    wanted.portable = !launcher.empty();
    wanted.threads = options.build_threads;
    CUSET_ASSIGN(host_toolchain tools, host_toolchain::open(std::move(found), wanted, cache));
    std::optional<compiler> nvcc;
    if (options.nvcc)
        nvcc.emplace(box, *options.nvcc,
                     compile_options{options.nvcc_flags, options.compile_limits}, cache, scratch);
    return std::unique_ptr<host_backend>(new host_backend(std::make_unique<state>(
        state{box, std::move(options), std::move(tools), std::move(wanted), std::move(nvcc),
              std::move(cache), std::move(scratch), std::move(launcher)})));
}

backend_description host_backend::description() const {
    return {.name = "host",
            .toolchain = state_->toolchain(),
            .counting = state_->counting(),
            .is_checked = state_->options.checked,
            .orders = state_->orders()};
}

std::string host_backend::state::toolchain() const {
    const host_compiler& found = tools.found();
    std::string text = tools.description();
    for (const auto& flag : options.flags) text += ' ' + flag;
    if (options.dialect.extended_lambda) text += " --extended-lambda";
    if (options.dialect.relaxed_constexpr) text += " --expt-relaxed-constexpr";
    text += ", host model " + hexadecimal(host_model_hash()).substr(0, 8) + " of " +
            options.architecture + ", ";
    text += "CUDA " + found.cuda_version + " headers";
    if (nvcc) {
        text += ", nvcc " + options.nvcc->version;
        for (const auto& flag : options.nvcc_flags) text += ' ' + flag;
    }
    if (!options.searches) text += ", not searched for races";
    if (options.checked)
        text += ", checked, " + std::to_string(options.schedules) +
                (options.schedules == 1 ? " order" : " orders");
    return text;
}

std::string host_backend::state::counting() const {
    // g++ ignores the flag, and the toolchain has nvcc's flags only where there is one.
    return "SASS " + hash_of_sass_tables().hexadecimal() + (options.fast_math ? ", fast math" : "");
}

std::shared_ptr<const host_toolchain> host_backend::state::toolchain_of(
    host_variant variant) const {
    const bool counts = variant == host_variant::counted;
    later_toolchain& kept = counts ? *for_costs : *for_races;
    const std::lock_guard lock(kept.mutex);
    if (std::exchange(kept.is_tried, true)) return kept.tools;
    host_toolchain::options of_variant = wanted;
    of_variant.variant = variant;
    auto made = host_toolchain::open(tools.found(), of_variant, cache);
    if (made) {
        kept.tools = std::make_shared<const host_toolchain>(std::move(made).value());
    } else {
        log(log_level::warning,
            (counts ? "nothing is counted: " : "no search for races: ") + made.error().message());
    }
    return kept.tools;
}

namespace {

compilation unmade() {
    compilation none;
    none.end = compile_end::unsupported;
    return none;
}

}  // namespace

result<compilation> host_backend::state::further_form(const host_toolchain* with,
                                                      const gxx_input& input,
                                                      barrier_form form) const {
    if (with == nullptr || !input.missing.empty()) return unmade();
    CUSET_ASSIGN(attempt tried, try_form(*with, input, form, failures::kept));
    return std::move(tried.done);
}

result<compilation> host_backend::compile(const program_source& source, program_form form) const {
    const auto origins = std::make_shared<line_origins>();
    const auto input = input_of(source, state_->options, *origins);
    const bool is_build = !source.command.empty();
    if (form != program_form::plain) {
        compilation made = unmade();
        if (!input) return made;
        const auto make = [&](const host_toolchain* with, barrier_form barriers) {
            return state_->further_form(with, *input, barriers);
        };
        // What is checked or run in several orders is to show its races.
        const bool shows_races = state_->options.checked || state_->options.schedules > 1;
        if (form == program_form::in_step && !shows_races) {
            CUSET_ASSIGN(made, make(&state_->tools, barrier_form::steps));
        } else if (form == program_form::searched && state_->options.searches) {
            CUSET_ASSIGN(made, make(state_->toolchain_of(host_variant::searched).get(),
                                    barrier_form::fibers));
        } else if (form == program_form::counted) {
            // Without it no program is counted, on this machine.
            const auto counting = state_->toolchain_of(host_variant::counted);
            if (counting == nullptr) return unsupported("the host backend cannot count here");
            CUSET_ASSIGN(made, make(counting.get(), barrier_form::fibers));
            made.fast_math = input->fast_math;
        }
        if (is_build) made.origins = origins;
        return made;
    }
    attempt tried;
    if (!input) {
        tried.done.end = compile_end::unsupported;
        tried.done.diagnostic = tried.unmodelled = input.error().message();
    } else if (!input->missing.empty()) {
        tried.done.end = compile_end::error;  // nvcc says the same
        tried.done.diagnostic =
            "cc1plus: fatal error: " + input->missing + ": No such file or directory";
    } else {
        CUSET_ASSIGN(tried, state_->try_gxx(*input, failures::kept));
    }
    const bool is_ours = tried.done.end != compile_end::unsupported;
    const std::string own = tried.done.diagnostic;
    CUSET_ASSIGN(compilation done, state_->with_nvcc(std::move(tried), source));
    if (!is_build) return done;
    if (is_ours && done.diagnostic == own) {
        done.diagnostic = origins->in_files(own);
        done.messages = origins->in_files(done.messages);
    }
    done.note = origins->in_files(done.note);
    done.origins = origins;
    return done;
}

result<compilation> host_backend::confirm(const program_source& source) const {
    if (!state_->nvcc || is_hip_program(source)) return compilation{};
    return state_->nvcc->compile(source);
}

std::string host_backend::lacks(std::string_view toolkit, std::string_view capability) const {
    if (std::string missing = missing_toolkit(toolkit, state_->tools.found().cuda_version);
        !missing.empty())
        return missing;
    return missing_capability(capability, state_->options.architecture);
}

std::string host_backend::has_only_in_part(std::string_view text, bool is_hip,
                                           const program_fault& failed) const {
    const std::string in_cuda = is_hip ? with_cuda_names(text) : std::string();
    const std::string_view source = in_cuda.empty() ? text : std::string_view(in_cuda);
    if (failed.why == failure::launch_error || failed.why == failure::illegal_address) {
        const std::string error = error_after_fault(source, failed);
        return error.empty() ? error : "errors after a kernel's fault: " + error;
    }
    const std::string call = call_about_peers(source);
    return call.empty() ? call : "several devices: " + call;
}

status host_backend::check() const {
    const auto& s = *state_;
    if (s.nvcc) {
        if (status checked = s.nvcc->check(); !checked)
            return unsupported(checked.message() + " (--nvcc=none asks no nvcc)");
    }
    const std::string gxx = s.tools.found().program.string();
    // A failure is not kept: the compiler may be repaired before the next run.
    line_origins none;
    CUSET_ASSIGN(const gxx_input input, input_of(single_file(simplest), s.options, none));
    CUSET_ASSIGN(const attempt made, s.try_gxx(input, failures::tried_again));
    const compilation& tried = made.done;
    if (tried.end != compile_end::compiled)
        return unsupported(
            gxx + " does not compile the simplest program for the host model in the sandbox: " +
            tried.diagnostic);
    CUSET_ASSIGN(const scratch_folder scratch, scratch_folder::make(s.scratch));
    sandbox_request request;
    request.work = scratch.path() / "run";
    CUSET_TRY(make_folder(request.work));
    CUSET_ASSIGN(const run_report report, run(tried.program, std::move(request), 0));
    if (report.succeeded()) return {};
    return unsupported("the simplest program of the host model does not run in the sandbox: " +
                       std::string(first_line(report.err)));
}

std::vector<std::uint64_t> host_backend::state::orders() const {
    std::vector<std::uint64_t> seeds{0};
    // Seed 1 is the runtime's descending order, which differs most from the plain one.
    if (options.schedules > 1) seeds.push_back(1);
    for (std::size_t i = 2; i < options.schedules; ++i)
        seeds.push_back((mixed_key(options.seed, i) >> 40) + 3);  // short to read
    return seeds;
}

namespace {

/// The heap in large pages, as device memory is: the C library looks in these files for what the
/// system offers. The machine of a launcher may have other ones.
void add_large_pages(sandbox_request& request) {
    const fs::path folder = "/sys/kernel/mm/transparent_hugepage";
    std::error_code ignored;
    for (const char* name : {"enabled", "hpage_pmd_size"}) {
        if (!fs::exists(folder / name, ignored)) return;
        request.mounts.push_back({folder / name, folder / name});
    }
    request.environment.emplace_back("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1");
}

}  // namespace

result<run_report> host_backend::run(const fs::path& program, sandbox_request request,
                                     run_order order, const fs::path& place) const {
    const auto& o = state_->options;
    if (request.command.empty()) request.command = {"./program"};
    request.mounts.push_back({program, "/job" / place});
    request.gpu = false;
    auto& variables = request.environment;
    variables.emplace_back("CUSET_HOST_ARCH", o.architecture);
    variables.emplace_back("CUSET_HOST_SEED", std::to_string(order.seed));
    if (order.has_asynchronous_streams)
        variables.emplace_back("CUSET_HOST_STREAMS", "asynchronous");
    if (o.l2_bytes > 0) variables.emplace_back("CUSET_HOST_CACHE", std::to_string(o.l2_bytes));
    if (const auto most = order.counted_launches > 0 ? order.counted_launches : o.counted_launches;
        most > 0)
        variables.emplace_back("CUSET_HOST_LAUNCHES", std::to_string(most));
    if (o.multiprocessors > 0)
        variables.emplace_back("CUSET_HOST_MULTIPROCESSORS", std::to_string(o.multiprocessors));
    if (o.run_threads > 0)
        variables.emplace_back("CUSET_HOST_THREADS", std::to_string(o.run_threads));
    variables.emplace_back("CUSET_HOST_MEMORY", std::to_string(request.limits.memory_bytes));
    if (o.schedules > 1) variables.emplace_back("CUSET_HOST_DIGESTS", "1");
    if (request.streams.on_output) variables.emplace_back("CUSET_HOST_OUTPUT", "shown");
    request.channel = true;
    variables.emplace_back("CUSET_HOST_CHANNEL", std::to_string(channel_descriptor));
    // Leak detection uses a system call that the sandbox refuses.
    if (o.checked) variables.emplace_back("CUSET_HOST_SEARCH", "all");
    if (o.checked)
        variables.emplace_back("ASAN_OPTIONS", "detect_leaks=0:alloc_dealloc_mismatch=0");
    request.launcher = state_->launcher;
    if (request.launcher.empty()) add_large_pages(request);
    return state_->box.run(request);
}

result<program_outcome> host_backend::outcome_of(const run_report& report) const {
    program_outcome outcome = host_outcome_of(report.channel_output);
    if (!state_->options.checked) {
        outcome.note.clear();
        std::erase_if(outcome.findings, [](const finding& f) { return f.why == failure::none; });
    }
    return outcome;
}

}  // namespace cuset
