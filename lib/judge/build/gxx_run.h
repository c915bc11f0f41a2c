// Runs g++ on a translated program. Private to lib/judge.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "build/compiler_run.h"

namespace cuset {

/// What the text of a host source begins with (nvcc_dialect::is_host_source).
inline constexpr std::string_view host_source_beginning = "#include <cuset_host/host_source.h>\n";

/// Compiles translated sources, with PTX's conversions where device code makes integers of
/// floating-point values without a cast: where g++ tells of such places, it compiles once more.
/// `command` gives the words of g++, which tells of them or does not (host_toolchain::words()).
/// Otherwise as run_compiler().
result<compiler_run> run_gxx(const sandbox& box,
                             const std::function<compiler_command(bool tells_conversions)>& command,
                             const std::vector<task_file>& units,
                             const std::filesystem::path& work);

}  // namespace cuset
