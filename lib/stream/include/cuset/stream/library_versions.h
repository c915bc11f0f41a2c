// The libraries under the streams, for -V.
#pragma once

#include <string>

namespace cuset {

/// Lines such as "zstd 1.5.4", with the versions of the loaded libraries, not of their headers.
std::string stream_library_versions();

}  // namespace cuset
