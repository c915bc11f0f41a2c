#include "cuset/judge/compiler.h"

#include <unistd.h>

#include <utility>

#include "build/compiler_run.h"
#include "build/kept_compilation.h"
#include "build/shell_words.h"
#include "cuset/base/sha256.h"
#include "cuset/sandbox/program_path.h"
#include "cuset/sandbox/scratch_folder.h"
#include "cuset/sandbox/text_lines.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

/// Takes "13.0.88" from "Cuda compilation tools, release 13.0, V13.0.88".
std::string version_in(std::string_view messages) {
    const std::size_t at = messages.find(", V");
    if (at == messages.npos) return {};
    const std::string_view rest = messages.substr(at + 3);
    return std::string(rest.substr(0, rest.find_first_not_of("0123456789.")));
}

/// Takes "make" from the shell's "sh: 1: make: not found"; empty if it missed nothing. Compilers
/// begin no line so.
std::string missing_program(std::string_view messages) {
    constexpr std::string_view begin = "sh: ", end = ": not found";
    while (!messages.empty()) {
        std::string_view line = take_line(messages);
        if (!line.starts_with(begin) || !line.ends_with(end)) continue;
        line.remove_suffix(end.size());
        return std::string(line.substr(line.rfind(' ') + 1));
    }
    return {};
}

}  // namespace

result<toolkit> toolkit::find(const std::string& nvcc) {
    toolkit found;
    std::error_code error;
    std::string path = nvcc.find('/') != nvcc.npos ? nvcc : program_in_path(nvcc);
    if (path.empty()) path = "/usr/local/cuda/bin/" + nvcc;
    found.nvcc = fs::canonical(path, error);
    if (error || ::access(found.nvcc.c_str(), X_OK) != 0)
        return unsupported(nvcc + " is not there: compiling needs the CUDA toolkit");
    found.root = found.nvcc.parent_path().parent_path();
    CUSET_ASSIGN(const sandbox plain, sandbox::open(true));
    sandbox_request request;
    request.command = {found.nvcc.string(), "--version"};
    request.work = found.nvcc.parent_path();
    request.limits.file_bytes = UINT64_MAX;
    CUSET_ASSIGN(const run_report report, plain.run(request));
    found.version = version_in(report.out);
    if (found.version.empty()) return unsupported(path + " does not tell its version");
    return found;
}

compiler::compiler(const sandbox& box, toolkit kit, compile_options options, entry_cache cache,
                   fs::path scratch)
    : box_(box),
      kit_(std::move(kit)),
      options_(std::move(options)),
      cache_(std::move(cache)),
      scratch_(std::move(scratch)) {}

status compiler::check() const {
    const program_source simplest = single_file("int main() {}\n");
    // Two toolkits of the same version may be in different states.
    const std::string key = kit_.nvcc.string() + '\n' + key_of(simplest);
    const auto known = find_compilation(cache_, key);
    if (known && known->end == compile_end::compiled) return {};
    CUSET_ASSIGN(const scratch_folder scratch, scratch_folder::make(scratch_));
    CUSET_ASSIGN(compiler_run tried,
                 run_compiler(box_, command(simplest), simplest.files, scratch.path()));
    if (tried.done.end == compile_end::compiled) return keep_compilation(cache_, key, tried.done);
    return unsupported(
        kit_.nvcc.string() +
        " does not compile the simplest program in the sandbox: " + tried.done.diagnostic);
}

/// What a shell runs to build a program of several files.
std::string compiler::shell_command(const program_source& source) const {
    std::string text = source.command;
    if (source.takes_flags)
        for (const auto& flag : options_.flags) text += ' ' + shell_quoted(flag);
    return text;
}

compiler_command compiler::command(const program_source& source) const {
    compiler_command nvcc;
    nvcc.name = "nvcc";
    nvcc.limits = options_.limits;
    if (kit_.root.native().rfind("/usr/", 0) != 0) nvcc.mounts = {{kit_.root, kit_.root}};
    if (source.command.empty()) {
        nvcc.words = {kit_.nvcc.string(), "-o", "program", source.files.front().path};
        nvcc.words.insert(nvcc.words.end(), options_.flags.begin(), options_.flags.end());
        nvcc.words.insert(nvcc.words.end(), source.flags.begin(), source.flags.end());
    } else {
        nvcc.words = {"sh", "-c", shell_command(source)};
        nvcc.environment = {
            {"PATH", kit_.nvcc.parent_path().string() + ":/usr/local/bin:/usr/bin:/bin"}};
        nvcc.program = source.program;
    }
    return nvcc;
}

std::string compiler::key_of(const program_source& source) const {
    if (source.command.empty()) {
        std::string key = kit_.version + '\n';
        for (const auto& flag : options_.flags) key += flag + '\n';
        for (const auto& flag : source.flags) key += flag + '\n';
        return key + '\n' + source.files.front().content;
    }
    sha256 hash("cuset build");
    hash.add(kit_.nvcc.string()).add(kit_.version).add(shell_command(source)).add(source.program);
    for (const auto& file : source.files) hash.add(file.path).add(file.content);
    return "build " + hash.end().hexadecimal();
}

result<compilation> compiler::compile(const program_source& source) const {
    return compiled_once(
        cache_, key_of(source), scratch_, [&](const fs::path& work) -> result<compilation> {
            CUSET_ASSIGN(compiler_run ran, run_compiler(box_, command(source), source.files, work));
            if (source.command.empty() || ran.done.end != compile_end::error)
                return std::move(ran.done);
            if (const std::string missing = missing_program(ran.messages); !missing.empty()) {
                ran.done.end = compile_end::unsupported;
                ran.done.diagnostic = "a build command that needs " + missing;
                ran.done.limited = true;  // another machine may have it
            }
            return std::move(ran.done);
        });
}

program_source single_file(std::string_view text, flag_list flags, bool is_hip) {
    return {
        .files = {{"program.cu", std::string(text)}}, .flags = std::move(flags), .is_hip = is_hip};
}

}  // namespace cuset
