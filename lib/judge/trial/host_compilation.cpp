// How the host backend makes a program: its translations, g++, and nvcc about what g++ refuses.
#include <algorithm>
#include <utility>

#include "build/compiler_run.h"
#include "build/gxx_run.h"
#include "build/hip_program.h"
#include "cuset/host/build/compiler_messages.h"
#include "cuset/host/build/gxx_messages.h"
#include "cuset/sandbox/text_lines.h"
#include "trial/host_backend_state.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

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
    dialect.is_counted = with.variant() == host_variant::counted;
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
    std::vector<std::string> flags = input.flags;
    if (input.dialect.is_hip) flags.push_back(with.flag_for_hip());
    const auto command = [&](bool tells_conversions) {
        compiler_command gxx;
        gxx.name = "g++";
        gxx.words =
            with.words(flags, includes, sources, libraries, may_misalign, tells_conversions);
        gxx.mounts = with.mounts(libraries);
        gxx.limits = options.compile_limits;
        return gxx;
    };
    CUSET_ASSIGN(compiler_run ran, run_gxx(box, command, units, work));
    compilation done = std::move(ran.done);
    if (input.dialect.is_hip) done.messages = in_names_of_hip(std::move(done.messages));
    if (done.end == compile_end::compiled) {
        if (options.checked) done.note = uninitialised_use(ran.messages);
        return done;
    }
    done.note = may_be_split(kernels, done.end, ran.messages) ? "+" : "-";
    if (done.end == compile_end::error || done.end == compile_end::link_error) {
        done.diagnostic = first_gxx_error(ran.messages);
        std::string missing =
            input.dialect.is_hip ? missing_of_hip(ran.messages) : missing_of_cuda(ran.messages);
        if (missing.empty())
            missing = hidden_folder_with(missing_header_of(ran.messages), input.flags);
        // nvcc keeps device code of several files apart; g++ does not.
        if (missing.empty() && input.are_apart && has_any(ran.messages, {"multiple definition of"}))
            missing = "device code of one name in several files";
        done.note += missing;
    }
    return done;
}

/// nvcc decides about CUDA programs that g++ refuses: the two accept different code, and the model
/// has gaps.
result<compilation> host_backend::state::with_nvcc(attempt tried,
                                                   const program_source& source) const {
    compilation& done = tried.done;
    if (done.end == compile_end::compiled || done.limited || tried.is_final) return done;
    if (nvcc && !is_hip_program(source)) {
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

}  // namespace cuset
