// What lib/endpoint stands on, for a tool's -V.
#pragma once

#include <string>

namespace cuset {

/// "libcurl 7.88.1" and a newline: of the library that runs.
std::string endpoint_library_versions();

}  // namespace cuset
