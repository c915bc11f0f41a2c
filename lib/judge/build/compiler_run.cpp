#include "build/compiler_run.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>
#include <utility>

#include "build/kept_compilation.h"
#include "cuset/host/build/compiler_messages.h"
#include "cuset/sandbox/file_text.h"
#include "cuset/sandbox/scratch_folder.h"
#include "cuset/sandbox/text_lines.h"
#include "cuset/sandbox/written_folder.h"
#include "tasks/script_run.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

/// The shell that starts the compiler reports this.
bool is_not_runnable(const run_report& report) {
    return report.end == run_end::exited && (report.code == 126 || report.code == 127) &&
           report.err.starts_with(std::string(starter_name) + ": ");
}

/// Decided by the compiler's messages, which a program can influence, and by the disk itself.
bool disk_is_full(const fs::path& work, std::string_view messages) {
    constexpr std::uintmax_t little = 16U << 20;
    std::error_code error;
    const auto space = fs::space(work, error);
    return !error && space.available < little && messages.find("No space left") != messages.npos;
}

/// Object files and assembler text may be larger than the program, but not by much.
constexpr std::uint64_t most_written_bytes = 2 * most_program_bytes;

std::string mebibytes(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

void too_large(std::string diagnostic, compilation& done) {
    done.limited = true;
    done.end = compile_end::too_large;
    done.diagnostic = std::move(diagnostic);
}

/// Enters the folders of the path one by one, since a build may have made links of them.
result<written_folder::taken> take_program(const fs::path& work, const fs::path& path,
                                           const fs::path& place) {
    CUSET_ASSIGN(const written_folder left, written_folder::open(work));
    std::optional<written_folder> inner;
    for (const auto& part : path.parent_path()) {
        inner = (inner ? *inner : left).folder(part.string());
        if (!inner) return written_folder::taken{0, "is missing"};
    }
    return (inner ? *inner : left).take(path.filename().string(), place, 0755);
}

}  // namespace

status write_files(const std::vector<task_file>& files, const fs::path& folder) {
    for (const auto& file : files) {
        const fs::path place = folder / file.path;
        std::error_code error;
        fs::create_directories(place.parent_path(), error);
        if (error) return io_error(place.string(), error.value());
        CUSET_TRY(write_text(place, file.content));
    }
    return {};
}

result<compiler_run> run_compiler(const sandbox& box, const compiler_command& command,
                                  const std::vector<task_file>& files, const fs::path& work) {
    sandbox_request request;
    request.command = command.words;
    request.work = work / "compile";
    scratch_folder::remove_tree(request.work);  // the folder of an earlier attempt
    CUSET_TRY(make_folder(request.work));
    CUSET_TRY(write_files(files, request.work));
    request.mounts = command.mounts;
    request.environment = command.environment;
    request.limits = command.limits;
    request.limits.file_bytes = std::min(request.limits.file_bytes, most_written_bytes);
    CUSET_ASSIGN(const run_report report, box.run(request));
    compiler_run ran;
    compilation& done = ran.done;
    done.seconds = report.seconds;
    ran.messages = report.err + report.out;
    const fs::path program = work / "program";
    written_folder::taken taken{0, "is missing"};
    if (report.succeeded()) {
        CUSET_ASSIGN(taken, take_program(request.work, command.program, program));
    }
    if (taken.obstacle.empty()) {
        if (taken.bytes > most_program_bytes) {
            too_large(command.name + " made a program of " + std::to_string(taken.bytes) +
                          " bytes, more than " + mebibytes(most_program_bytes),
                      done);
        } else {
            done.program = program;
        }
    } else if (is_not_runnable(report)) {
        return unsupported(command.words.front() +
                           " does not run in the sandbox: " + std::string(first_line(report.err)));
    } else if (disk_is_full(work, ran.messages)) {
        return io_error(work.parent_path().string(), ENOSPC);
    } else if (report.end == run_end::exited && wrote_too_much(ran.messages)) {
        too_large(command.name + " wrote a file of more than " + mebibytes(most_written_bytes),
                  done);
    } else if (report.succeeded()) {
        done.end = compile_end::error;
        done.diagnostic = "the build ended well, but " + command.program + ' ' + taken.obstacle;
    } else if (report.end == run_end::exited && !ran_out(ran.messages)) {
        done.end = failed_to_link(ran.messages) ? compile_end::link_error : compile_end::error;
        done.diagnostic = first_diagnostic(ran.messages);
    } else {
        const bool late = report.end == run_end::too_long;
        done.limited = true;
        done.end = late ? compile_end::too_long : compile_end::too_large;
        done.diagnostic = report.end == run_end::exited
                              ? first_diagnostic(ran.messages)
                              : command.name + ' ' + describe_end(report, request.limits);
    }
    if (done.end != compile_end::compiled) done.messages = all_diagnostics(ran.messages);
    return ran;
}

namespace {

/// The first two numbers of "13.0.88".
std::pair<int, int> numbers_in(std::string_view version) {
    std::pair<int, int> found{0, 0};
    const std::size_t dot = version.find('.');
    std::from_chars(version.data(), version.data() + std::min(dot, version.size()), found.first);
    if (dot != version.npos)
        std::from_chars(version.data() + dot + 1, version.data() + version.size(), found.second);
    return found;
}

}  // namespace

std::string missing_capability(std::string_view asked, std::string_view architecture) {
    constexpr std::string_view prefix = "sm_";
    if (asked.empty() || !architecture.starts_with(prefix)) return {};
    int here = 0;
    std::from_chars(architecture.data() + prefix.size(), architecture.data() + architecture.size(),
                    here);
    const auto [most, least] = numbers_in(asked);
    if (most * 10 + least <= here) return {};
    return "compute capability " + std::string(asked) + " (here: " + std::string(architecture) +
           ')';
}

std::string missing_toolkit(std::string_view asked, std::string_view here) {
    if (numbers_in(asked) <= numbers_in(here)) return {};
    return "CUDA " + std::string(asked) + " (here: " + std::string(here) + ')';
}

result<compilation> compiled_once(
    const entry_cache& cache, const std::string& key, const fs::path& scratch,
    const std::function<result<compilation>(const fs::path& work)>& make) {
    if (auto found = find_compilation(cache, key)) return *std::move(found);
    CUSET_ASSIGN(const scratch_folder work, scratch_folder::make(scratch));
    CUSET_ASSIGN(compilation done, make(work.path()));
    if (!done.limited) CUSET_TRY(keep_compilation(cache, key, done));
    return done;
}

}  // namespace cuset
