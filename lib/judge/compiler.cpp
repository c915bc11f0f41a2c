#include "cuset/judge/compiler.h"

#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "compile_cache.h"
#include "diagnostics.h"
#include "file_text.h"
#include "program_path.h"
#include "scratch_folder.h"
#include "script_run.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

/// "13.0.88" of "Cuda compilation tools, release 13.0, V13.0.88".
std::string version_in(std::string_view said) {
    const std::size_t at = said.find(", V");
    if (at == said.npos) return {};
    const std::string_view rest = said.substr(at + 3);
    return std::string(rest.substr(0, rest.find_first_not_of("0123456789.")));
}

/// Of prlimit, which starts nvcc.
bool is_not_runnable(const run_report& report) {
    return report.end == run_end::exited && (report.code == 126 || report.code == 127) &&
           report.err.starts_with("prlimit: failed to execute");
}

/// By what nvcc said, which a program can make it say, and by the disk itself.
bool disk_is_full(const fs::path& work, std::string_view said) {
    constexpr std::uintmax_t little = 16U << 20;
    std::error_code error;
    const auto space = fs::space(work, error);
    return !error && space.available < little && said.find("No space left") != said.npos;
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

compiler::compiler(const sandbox& box, toolkit kit, compile_options options, fs::path cache,
                   fs::path scratch)
    : box_(box),
      kit_(std::move(kit)),
      options_(std::move(options)),
      folder_(std::move(cache)),
      scratch_(std::move(scratch)) {}

status compiler::check() const {
    constexpr std::string_view simplest = "int main() {}\n";
    // Two of the same version may be in different states.
    const std::string key = kit_.nvcc.string() + '\n' + key_of(simplest);
    const auto known = cached_compilation(folder_, key);
    if (known && known->end == compile_end::compiled) return {};
    CUSET_ASSIGN(const scratch_folder scratch, scratch_folder::make(scratch_));
    CUSET_ASSIGN(compilation tried, run_nvcc(simplest, scratch.path()));
    if (tried.end == compile_end::compiled) return keep_compilation(folder_, key, tried);
    return unsupported(
        kit_.nvcc.string() +
        " does not compile the simplest program in the sandbox: " + tried.diagnostic);
}

sandbox_request compiler::request_in(const fs::path& work) const {
    sandbox_request request;
    request.work = work;
    request.limits = options_.limits;
    if (kit_.root.native().rfind("/usr/", 0) != 0) request.mounts = {{kit_.root, kit_.root}};
    return request;
}

std::string compiler::key_of(std::string_view source) const {
    std::string key = kit_.version + '\n';
    for (const auto& flag : options_.flags) key += flag + '\n';
    key += '\n';
    return key.append(source);
}

result<compilation> compiler::compile(std::string_view source) const {
    const std::string key = key_of(source);
    if (auto found = cached_compilation(folder_, key)) return *std::move(found);
    CUSET_ASSIGN(const scratch_folder scratch, scratch_folder::make(scratch_));
    CUSET_ASSIGN(compilation done, run_nvcc(source, scratch.path()));
    if (done.end != compile_end::too_long && done.end != compile_end::too_large)
        CUSET_TRY(keep_compilation(folder_, key, done));
    return done;
}

result<compilation> compiler::run_nvcc(std::string_view source, const fs::path& work) const {
    CUSET_TRY(write_text(work / "program.cu", source));
    sandbox_request request = request_in(work);
    request.command = {kit_.nvcc.string(), "-o", "program", "program.cu"};
    request.command.insert(request.command.end(), options_.flags.begin(), options_.flags.end());
    CUSET_ASSIGN(const run_report report, box_.run(request));
    compilation done;
    done.seconds = report.seconds;
    const std::string said = report.err + report.out;
    struct stat about {};
    const fs::path program = work / "program";
    if (report.end == run_end::exited && report.code == 0 &&
        ::lstat(program.c_str(), &about) == 0 && S_ISREG(about.st_mode)) {
        // It may be the sandbox's own user's.
        if (::chown(program.c_str(), ::geteuid(), ::getegid()) != 0 ||
            ::chmod(program.c_str(), 0755) != 0)
            return io_error(program.string(), errno);
        done.program = program;
    } else if (is_not_runnable(report)) {
        return unsupported(kit_.nvcc.string() + " does not run in the sandbox: " +
                           report.err.substr(0, report.err.find('\n')));
    } else if (disk_is_full(work, said)) {
        return io_error(scratch_.string(), ENOSPC);
    } else if (report.end == run_end::exited && !ran_out(said)) {
        done.end = failure_of(said);
        done.diagnostic = first_diagnostic(said);
    } else {
        const bool late = report.end == run_end::too_long;
        done.end = late ? compile_end::too_long : compile_end::too_large;
        done.diagnostic = report.end == run_end::exited
                              ? first_diagnostic(said)
                              : "nvcc " + describe_end(report, options_.limits);
    }
    return done;
}

}  // namespace cuset
