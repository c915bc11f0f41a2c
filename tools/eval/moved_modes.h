// The modes of cuset-eval that are cuset-report now. They go with the next release.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cuset {

/// "--compare is deprecated: use cuset-report --compare"; of --report, "... use cuset-report".
std::string deprecation_of(std::string_view mode);

/// Where the command line has one of --report, --compare, --table and --by-confidence, says what
/// takes its place and becomes cuset-report, without the options that say how to judge, which did
/// nothing in these modes. Returns the exit code if it cannot, or nothing for another command line.
std::optional<int> run_moved_mode(int argc, char** argv);

}  // namespace cuset
