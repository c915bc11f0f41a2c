// What -V says of the libraries under the streams.
#pragma once

#include <string>

namespace cuset {

/// Lines such as "zstd 1.5.4": of the libraries this process runs on, not of their headers.
std::string stream_library_versions();

}  // namespace cuset
