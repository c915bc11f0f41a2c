#include "cuset/judge/host_backend.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "build/compiler_run.h"
#include "build/gxx_input.h"
#include "build/gxx_run.h"
#include "cuset/base/log.h"
#include "cuset/base/random_key.h"
#include "cuset/host/build/compiler_messages.h"
#include "cuset/host/build/gxx_messages.h"
#include "cuset/host/build/toolchain.h"
#include "cuset/host/runtime_files.h"
#include "cuset/host/translation.h"
#include "cuset/sandbox/file_text.h"
#include "cuset/sandbox/scratch_folder.h"
#include "cuset/sandbox/text_lines.h"
#include "cuset/stream/json_text.h"
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

/// g++'s result for a program, before nvcc is asked.
struct attempt {
    compilation done;
    /// Why the host model cannot run the program, if that is known.
    std::string unmodelled;
    /// Whether the split form may be the reason why it did not compile.
    bool may_be_split = false;
    /// Whether it is refused whatever nvcc says.
    bool is_final = false;
};

/// Whether the cache keeps g++'s refusal of a program.
enum class failures : unsigned char { kept, tried_again };

/// If g++'s error names no line of a split kernel, the program itself is wrong.
bool may_be_split(const std::vector<kernel_form>& kernels, compile_end end,
                  std::string_view messages) {
    if (end == compile_end::link_error) return false;
    const auto lines = program_lines(messages);
    const bool names_lines = end == compile_end::error && !lines.empty();
    return std::ranges::any_of(kernels, [&](const kernel_form& k) {
        return k.obstacle.empty() &&
               (!names_lines || std::ranges::any_of(lines, [&](std::size_t line) {
                   return line >= k.line && line <= k.last_line;
               }));
    });
}

/// The text behind lines that include what is read before it; its own lines keep their numbers.
std::string behind(const std::vector<std::string>& includes, const std::string& text) {
    std::string all;
    for (const auto& each : includes) all += "#include <" + each + ">\n";
    return all + "#line 1\n" + text;
}

/// The places of sources keep one name, by which messages are known to be about them.
std::string place_of_unit(std::size_t number) {
    return number == 0 ? "program.cu" : "unit" + std::to_string(number) + "/program.cu";
}

constexpr std::string_view hidden_words = ", which the sandbox hides";

/// If the header is in a folder of these flags that programs' compilers do not see, says so.
std::string hidden_folder_with(const std::string& header, const std::vector<std::string>& flags) {
    if (header.empty() || header.find("..") != header.npos) return {};
    for (const auto& flag : flags) {
        const fs::path folder = flag.starts_with("-I") ? flag.substr(2) : std::string();
        std::error_code error;
        if (folder.is_absolute() && fs::exists(folder / header, error))
            return header + " of the folder " + folder.string() + std::string(hidden_words);
    }
    return {};
}

std::string at_line(std::size_t line, const std::string& message) {
    return "program.cu(" + std::to_string(line) + "): error: " + message;
}

}  // namespace

struct host_backend::state {
    const sandbox& box;
    host_options options;
    host_toolchain tools;
    host_toolchain::options search;  // of the toolchain that searches for races
    std::optional<compiler> nvcc;
    entry_cache cache;
    fs::path scratch;
    std::vector<std::string> launcher;

    result<attempt> try_gxx(const gxx_input& input, failures then) const;
    result<attempt> try_form(const host_toolchain& with, const gxx_input& input, barrier_form form,
                             failures then) const;
    result<compilation> compile_units(const host_toolchain& with, const gxx_input& input,
                                      const std::vector<task_file>& units,
                                      const std::vector<std::string>& includes,
                                      const std::vector<kernel_form>& kernels,
                                      const fs::path& libraries, bool may_misalign,
                                      const fs::path& work) const;
    result<compilation> with_nvcc(attempt tried, const program_source& source) const;
    std::string toolchain() const;
    std::vector<std::uint64_t> orders() const;

    /// Opened when the first program passes; null where that fails, which is told once.
    std::shared_ptr<const host_toolchain> searching() const;
    struct opened {
        std::mutex mutex;
        bool is_tried = false;
        std::shared_ptr<const host_toolchain> tools;
    };
    std::shared_ptr<opened> for_races = std::make_shared<opened>();
};

host_backend::host_backend(std::unique_ptr<state> made) : state_(std::move(made)) {}
host_backend::~host_backend() = default;

result<std::unique_ptr<host_backend>> host_backend::open(const sandbox& box, host_options options,
                                                         entry_cache cache, fs::path scratch,
                                                         std::vector<std::string> launcher) {
    CUSET_ASSIGN(host_compiler found,
                 host_compiler::find(options.nvcc ? options.nvcc->root : fs::path()));
    host_toolchain::options wanted;
    wanted.standard = options.standard;
    wanted.checked = options.checked;
    wanted.portable = !launcher.empty();
    wanted.threads = options.build_threads;
    CUSET_ASSIGN(host_toolchain tools, host_toolchain::open(std::move(found), wanted, cache));
    wanted.checked = false;
    wanted.searched = true;
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

std::shared_ptr<const host_toolchain> host_backend::state::searching() const {
    const std::lock_guard lock(for_races->mutex);
    if (std::exchange(for_races->is_tried, true)) return for_races->tools;
    auto made = host_toolchain::open(tools.found(), search, cache);
    if (made) {
        for_races->tools = std::make_shared<const host_toolchain>(std::move(made).value());
    } else {
        log(log_level::warning, "no search for races: " + made.error().message());
    }
    return for_races->tools;
}

/// If a split kernel does not compile, the message is about the program as written.
result<attempt> host_backend::state::try_gxx(const gxx_input& input, failures then) const {
    const bool fibers = options.checked || options.barriers == host_barriers::fibers;
    CUSET_ASSIGN(attempt tried,
                 try_form(tools, input, fibers ? barrier_form::fibers : barrier_form::split, then));
    if (!tried.may_be_split || options.barriers == host_barriers::split) return tried;
    const compilation split = std::move(tried.done);
    CUSET_ASSIGN(tried, try_form(tools, input, barrier_form::fibers, then));
    tried.done.seconds += split.seconds;
    tried.done.cached = tried.done.cached && split.cached;
    return tried;
}

/// compile_units writes the note of a failure.
result<attempt> host_backend::state::try_form(const host_toolchain& with, const gxx_input& input,
                                              barrier_form form, failures then) const {
    attempt tried;
    tried.done.cached = true;
    std::vector<task_file> units;
    std::vector<kernel_form> kernels;
    std::vector<std::string> headers;
    bool calls_libraries = false, may_misalign = false;
    std::uint32_t shared = 0;
    nvcc_dialect dialect = input.dialect;
    dialect.definitions = input.flags;
    dialect.cuda_version = with.found().cuda_version;
    for (std::size_t i = 0; i < input.sources.size(); ++i) {
        const std::string& source = input.sources[i];
        dialect.is_host_source = input.are_host_sources[i];
        translation made = translate_for_host(source, dialect, form, options.architecture, shared);
        if (made.unsupported) {
            tried.done.end = compile_end::unsupported;
            tried.done.diagnostic = tried.unmodelled = *made.unsupported;
            return tried;
        }
        if (made.error) {
            tried.done.end = compile_end::error;
            tried.done.diagnostic = at_line(made.error->line, made.error->message);
            tried.is_final = made.error->is_ours;
            return tried;
        }
        shared = made.shared;
        calls_libraries |= made.calls_libraries;
        may_misalign |= made.may_misalign;
        for (auto& header : made.headers)
            if (std::ranges::find(headers, header) == headers.end())
                headers.push_back(std::move(header));
        kernels.insert(kernels.end(), made.kernels.begin(), made.kernels.end());
        kernels.insert(kernels.end(), made.rows.begin(), made.rows.end());
        units.push_back({place_of_unit(units.size()), std::move(made.text)});
    }
    // g++'s -include is for all sources alike.
    std::vector<std::string> includes;
    if (std::ranges::find(input.are_host_sources, true) == input.are_host_sources.end())
        includes = program_includes(headers, false);
    else
        for (std::size_t i = 0; i < units.size(); ++i)
            units[i].content =
                behind(program_includes(headers, input.are_host_sources[i]), units[i].content);
    // The key is of g++'s input, so all settings and later translators share a program.
    std::string key = with.key();
    for (const auto& flag : input.flags) key += flag + '\n';
    if (input.are_apart) key += "apart\n";
    if (may_misalign) key += "misaligned\n";
    key += "conversions of PTX\n";  // are added to this input
    for (const auto& header : headers) key += "header " + header + '\n';
    for (const auto& unit : units) key += '\n' + unit.content;
    CUSET_ASSIGN(
        tried.done,
        compiled_once(cache, key, scratch, [&](const fs::path& work) -> result<compilation> {
            fs::path libraries;
            if (calls_libraries) {
                CUSET_ASSIGN(libraries, with.libraries());
            }
            auto done =
                compile_units(with, input, units, includes, kernels, libraries, may_misalign, work);
            if (done && done->end != compile_end::compiled && then != failures::kept)
                done->limited = true;
            return done;
        }));
    if (tried.done.end == compile_end::compiled) return tried;
    const std::string note = std::exchange(tried.done.note, {});
    tried.may_be_split = note.starts_with('+');
    if (!note.empty()) tried.unmodelled = note.substr(1);
    return tried;
}

/// The note of a program that does not compile is + if the split form may be the reason, else -,
/// followed by the part of CUDA that the model lacks, if the error is about one.
result<compilation> host_backend::state::compile_units(
    const host_toolchain& with, const gxx_input& input, const std::vector<task_file>& units,
    const std::vector<std::string>& includes, const std::vector<kernel_form>& kernels,
    const fs::path& libraries, bool may_misalign, const fs::path& work) const {
    std::vector<std::string> sources;
    sources.reserve(units.size());
    for (const auto& unit : units) sources.push_back(unit.path);
    const auto command = [&](bool tells_conversions) {
        compiler_command gxx;
        gxx.name = "g++";
        gxx.words =
            with.words(input.flags, includes, sources, libraries, may_misalign, tells_conversions);
        gxx.mounts = with.mounts(libraries);
        gxx.limits = options.compile_limits;
        return gxx;
    };
    CUSET_ASSIGN(compiler_run ran, run_gxx(box, command, units, work));
    compilation done = std::move(ran.done);
    if (done.end == compile_end::compiled) {
        if (options.checked) done.note = uninitialised_use(ran.messages);
        return done;
    }
    done.note = may_be_split(kernels, done.end, ran.messages) ? "+" : "-";
    if (done.end == compile_end::error || done.end == compile_end::link_error) {
        done.diagnostic = first_gxx_error(ran.messages);
        std::string missing = missing_of_cuda(ran.messages);
        if (missing.empty())
            missing = hidden_folder_with(missing_header_of(ran.messages), input.flags);
        // nvcc keeps device code of several files apart; g++ does not.
        if (missing.empty() && input.are_apart && has_any(ran.messages, {"multiple definition of"}))
            missing = "device code of one name in several files";
        done.note += missing;
    }
    return done;
}

/// nvcc decides about programs that g++ refuses: the two accept different code, and the model has
/// gaps.
result<compilation> host_backend::state::with_nvcc(attempt tried,
                                                   const program_source& source) const {
    compilation& done = tried.done;
    if (done.end == compile_end::compiled || done.limited || tried.is_final) return done;
    if (nvcc) {
        CUSET_ASSIGN(compilation truth, nvcc->compile(source));
        truth.seconds += done.seconds;
        truth.cached = truth.cached && done.cached;
        if (truth.end != compile_end::compiled) {
            if (std::string library = missing_library(truth.diagnostic); !library.empty()) {
                truth.end = compile_end::unsupported;
                truth.diagnostic = std::move(library);
            } else if (tried.unmodelled.ends_with(hidden_words)) {
                truth.end = compile_end::unsupported;
                truth.diagnostic = tried.unmodelled;
            }
            truth.limited =
                truth.end == compile_end::too_long || truth.end == compile_end::too_large;
            return truth;
        }
        done.seconds = truth.seconds;
        done.cached = truth.cached;
        if (tried.unmodelled.empty()) tried.unmodelled = done.diagnostic;
    }
    if (!tried.unmodelled.empty()) {
        done.end = compile_end::unsupported;
        done.diagnostic = tried.unmodelled;
    }
    return done;
}

result<compilation> host_backend::compile(const program_source& source, program_form form) const {
    const auto origins = std::make_shared<line_origins>();
    const auto input = input_of(source, state_->options, *origins);
    const bool is_build = !source.command.empty();
    attempt tried;
    if (form == program_form::in_step) {
        tried.done.end = compile_end::unsupported;
        // What is checked or run in several orders is to show its races.
        const bool shows_races = state_->options.checked || state_->options.schedules > 1;
        if (shows_races || !input || !input->missing.empty()) return std::move(tried.done);
        CUSET_ASSIGN(tried,
                     state_->try_form(state_->tools, *input, barrier_form::steps, failures::kept));
        if (is_build) tried.done.origins = origins;
        return std::move(tried.done);
    }
    if (form == program_form::searched) {
        tried.done.end = compile_end::unsupported;
        if (!state_->options.searches || !input || !input->missing.empty())
            return std::move(tried.done);
        const auto with = state_->searching();
        if (with == nullptr) return std::move(tried.done);
        CUSET_ASSIGN(tried, state_->try_form(*with, *input, barrier_form::fibers, failures::kept));
        if (is_build) tried.done.origins = origins;
        return std::move(tried.done);
    }
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
    if (!state_->nvcc) return compilation{};
    return state_->nvcc->compile(source);
}

std::string host_backend::lacks(std::string_view toolkit, std::string_view capability) const {
    if (std::string missing = missing_toolkit(toolkit, state_->tools.found().cuda_version);
        !missing.empty())
        return missing;
    return missing_capability(capability, state_->options.architecture);
}

std::string host_backend::has_only_in_part(std::string_view source,
                                           const program_fault& failed) const {
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
        seeds.push_back((mixed_key(options.seed, i) >> 40) + 2);  // short to read
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
