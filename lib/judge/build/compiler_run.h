// Runs any compiler in the sandbox. Private to lib/judge.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/compiler.h"
#include "cuset/judge/task_file.h"
#include "cuset/sandbox/sandbox.h"

namespace cuset {

struct compiler_command {
    std::string name;                ///< "nvcc": what diagnostics call it
    std::vector<std::string> words;  ///< compiles the files to `program`, in the current folder
    std::vector<sandbox_mount> mounts;
    std::vector<std::pair<std::string, std::string>> environment;
    sandbox_limits limits;
    std::string program = "program";  ///< path of what it makes
};

struct compiler_run {
    compilation done;      ///< its diagnostic is first_diagnostic(messages), or names the limit
    std::string messages;  ///< on stderr, then stdout
};

/// The largest program that is kept: the programs of a benchmark have a few MiB.
inline constexpr std::uint64_t most_program_bytes = std::uint64_t{256} << 20;

/// Compiles sources in a new folder in `work`, in which their paths are those given (each without
/// path_fault()); the program stays in `work`. A program of more than
/// most_program_bytes is too_large, and a compiler that writes twice as much is ended. An error is
/// a fault of this machine, such as a full disk; error_kind::unsupported if the compiler does not
/// start.
result<compiler_run> run_compiler(const sandbox& box, const compiler_command& command,
                                  const std::vector<task_file>& files,
                                  const std::filesystem::path& work);

/// Writes files into a folder, with the folders that their paths name. No path is another's folder.
status write_files(const std::vector<task_file>& files, const std::filesystem::path& folder);

/// Returns the entry of `key` in the cache, or the result of `make` in a new folder below
/// `scratch`. The result is kept unless a limit decided it: another run may have more time or
/// memory.
result<compilation> compiled_once(
    const entry_cache& cache, const std::string& key, const std::filesystem::path& scratch,
    const std::function<result<compilation>(const std::filesystem::path& work)>& make);

/// "compute capability 10.0 (here: sm_90)" if the architecture has less than is asked for; empty if
/// it does not, or if one of the two is empty.
std::string missing_capability(std::string_view asked, std::string_view architecture);

/// "CUDA 13.1 (here: 13.0.88)" if this version of the toolkit is older than the one that is asked
/// for, which may be empty; else empty.
std::string missing_toolkit(std::string_view asked, std::string_view here);

}  // namespace cuset
