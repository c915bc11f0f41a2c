// Runs any compiler in the sandbox. Private to lib/judge.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/compiler.h"
#include "cuset/judge/sandbox.h"

namespace cuset {

struct compiler_command {
    std::string name;                ///< "nvcc": what diagnostics call it
    std::vector<std::string> words;  ///< compiles program.cu to program, in the current folder
    std::vector<sandbox_mount> mounts;
    sandbox_limits limits;
};

struct compiler_run {
    compilation done;  ///< its diagnostic is first_diagnostic(said), or names the limit
    std::string said;  ///< on stderr, then stdout
};

/// The largest program that is kept: the programs of a benchmark have a few MiB.
inline constexpr std::uint64_t most_program_bytes = std::uint64_t{256} << 20;

/// Compiles a source in a new folder in `work`; the program stays there. A program of more than
/// most_program_bytes is too_large, and a compiler that writes twice as much is ended. An error is
/// a fault of this machine, such as a full disk; error_kind::unsupported if the compiler does not
/// start.
result<compiler_run> run_compiler(const sandbox& box, const compiler_command& command,
                                  std::string_view source, const std::filesystem::path& work);

/// Returns the entry of `key` in the cache, or the result of `make` in a new folder below
/// `scratch`. The result is kept unless a limit decided it: another run may have more time or
/// memory.
result<compilation> compiled_once(
    const compile_cache& cache, const std::string& key, const std::filesystem::path& scratch,
    const std::function<result<compilation>(const std::filesystem::path& work)>& make);

}  // namespace cuset
