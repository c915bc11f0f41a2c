#include "cuset/judge/compiler.h"

#include <unistd.h>

#include <utility>

#include "compiler_run.h"
#include "cuset/base/sha256.h"
#include "program_path.h"
#include "scratch_folder.h"
#include "shell_words.h"
#include "text_lines.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

/// Takes "13.0.88" from "Cuda compilation tools, release 13.0, V13.0.88".
std::string version_in(std::string_view said) {
    const std::size_t at = said.find(", V");
    if (at == said.npos) return {};
    const std::string_view rest = said.substr(at + 3);
    return std::string(rest.substr(0, rest.find_first_not_of("0123456789.")));
}

/// Takes "make" from the shell's "sh: 1: make: not found"; empty if it missed nothing. Compilers
/// begin no line so.
std::string missing_program(std::string_view said) {
    constexpr std::string_view begin = "sh: ", end = ": not found";
    while (!said.empty()) {
        std::string_view line = take_line(said);
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

compiler::compiler(const sandbox& box, toolkit kit, compile_options options, compile_cache cache,
                   fs::path scratch)
    : box_(box),
      kit_(std::move(kit)),
      options_(std::move(options)),
      cache_(std::move(cache)),
      scratch_(std::move(scratch)) {}

status compiler::check() const {
    constexpr std::string_view simplest = "int main() {}\n";
    // Two toolkits of the same version may be in different states.
    const std::string key = kit_.nvcc.string() + '\n' + key_of(simplest);
    const auto known = cache_.find(key);
    if (known && known->end == compile_end::compiled) return {};
    CUSET_ASSIGN(const scratch_folder scratch, scratch_folder::make(scratch_));
    CUSET_ASSIGN(
        compiler_run tried,
        run_compiler(box_, command(), {{"program.cu", std::string(simplest)}}, scratch.path()));
    if (tried.done.end == compile_end::compiled) return cache_.keep(key, tried.done);
    return unsupported(
        kit_.nvcc.string() +
        " does not compile the simplest program in the sandbox: " + tried.done.diagnostic);
}

compiler_command compiler::command(const flag_list& flags) const {
    compiler_command nvcc;
    nvcc.name = "nvcc";
    nvcc.words = {kit_.nvcc.string(), "-o", "program", "program.cu"};
    nvcc.words.insert(nvcc.words.end(), options_.flags.begin(), options_.flags.end());
    nvcc.words.insert(nvcc.words.end(), flags.begin(), flags.end());
    nvcc.limits = options_.limits;
    if (kit_.root.native().rfind("/usr/", 0) != 0) nvcc.mounts = {{kit_.root, kit_.root}};
    return nvcc;
}

std::string compiler::key_of(std::string_view source, const flag_list& flags) const {
    std::string key = kit_.version + '\n';
    for (const auto& flag : options_.flags) key += flag + '\n';
    for (const auto& flag : flags) key += flag + '\n';
    key += '\n';
    return key.append(source);
}

result<compilation> compiler::compile(std::string_view source, const flag_list& flags) const {
    return compiled_once(
        cache_, key_of(source, flags), scratch_, [&](const fs::path& work) -> result<compilation> {
            CUSET_ASSIGN(
                compiler_run ran,
                run_compiler(box_, command(flags), {{"program.cu", std::string(source)}}, work));
            return std::move(ran.done);
        });
}

result<compilation> compiler::build(const build_request& request) const {
    compiler_command shell = command();
    std::string text = request.command;
    if (request.takes_flags)
        for (const auto& flag : options_.flags) text += ' ' + shell_quoted(flag);
    shell.words = {"sh", "-c", text};
    shell.environment = {
        {"PATH", kit_.nvcc.parent_path().string() + ":/usr/local/bin:/usr/bin:/bin"}};
    shell.program = request.program;
    sha256 hash("cuset build");
    hash.add(kit_.nvcc.string()).add(kit_.version).add(text).add(request.program);
    for (const auto& file : request.files) hash.add(file.path).add(file.content);
    return compiled_once(cache_, "build " + hash.end().hexadecimal(), scratch_,
                         [&](const fs::path& work) -> result<compilation> {
                             CUSET_ASSIGN(compiler_run ran,
                                          run_compiler(box_, shell, request.files, work));
                             const std::string missing = missing_program(ran.said);
                             if (ran.done.end == compile_end::error && !missing.empty()) {
                                 ran.done.end = compile_end::unsupported;
                                 ran.done.diagnostic = "a build command that needs " + missing;
                                 ran.done.limited = true;  // another machine may have it
                             }
                             return std::move(ran.done);
                         });
}

}  // namespace cuset
