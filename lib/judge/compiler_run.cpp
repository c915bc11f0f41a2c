#include "compiler_run.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "compile_cache.h"
#include "diagnostics.h"
#include "file_text.h"
#include "scratch_folder.h"
#include "script_run.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

/// Of prlimit, which starts the compiler.
bool is_not_runnable(const run_report& report) {
    return report.end == run_end::exited && (report.code == 126 || report.code == 127) &&
           report.err.starts_with("prlimit: failed to execute");
}

/// By what the compiler said, which a program can make it say, and by the disk itself.
bool disk_is_full(const fs::path& work, std::string_view said) {
    constexpr std::uintmax_t little = 16U << 20;
    std::error_code error;
    const auto space = fs::space(work, error);
    return !error && space.available < little && said.find("No space left") != said.npos;
}

}  // namespace

result<compiler_run> run_compiler(const sandbox& box, const compiler_command& command,
                                  std::string_view source, const fs::path& work) {
    CUSET_TRY(write_text(work / "program.cu", source));
    sandbox_request request;
    request.command = command.words;
    request.work = work;
    request.mounts = command.mounts;
    request.limits = command.limits;
    CUSET_ASSIGN(const run_report report, box.run(request));
    compiler_run ran;
    compilation& done = ran.done;
    done.seconds = report.seconds;
    ran.said = report.err + report.out;
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
        return unsupported(command.words.front() + " does not run in the sandbox: " +
                           report.err.substr(0, report.err.find('\n')));
    } else if (disk_is_full(work, ran.said)) {
        return io_error(work.parent_path().string(), ENOSPC);
    } else if (report.end == run_end::exited && !ran_out(ran.said)) {
        done.end = failure_of(ran.said);
        done.diagnostic = first_diagnostic(ran.said);
    } else {
        const bool late = report.end == run_end::too_long;
        done.limited = true;
        done.end = late ? compile_end::too_long : compile_end::too_large;
        done.diagnostic = report.end == run_end::exited
                              ? first_diagnostic(ran.said)
                              : command.name + ' ' + describe_end(report, command.limits);
    }
    return ran;
}

result<compilation> compiled_once(
    const fs::path& cache, const std::string& key, const fs::path& scratch,
    const std::function<result<compilation>(const fs::path& work)>& make) {
    if (auto found = cached_compilation(cache, key)) return *std::move(found);
    CUSET_ASSIGN(const scratch_folder work, scratch_folder::make(scratch));
    CUSET_ASSIGN(compilation done, make(work.path()));
    if (!done.limited) CUSET_TRY(keep_compilation(cache, key, done));
    return done;
}

}  // namespace cuset
