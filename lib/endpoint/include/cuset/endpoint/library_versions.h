// The versions of the libraries under lib/endpoint, for a tool's -V.
#pragma once

#include <string>

namespace cuset {

/// "libcurl 7.88.1" and a newline. The version is that of the loaded library.
std::string endpoint_library_versions();

}  // namespace cuset
