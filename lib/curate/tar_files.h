// Reads the files of a tar archive one after another. Private to lib/curate.
#pragma once

#include <optional>
#include <string>

#include "cuset/base/status.h"
#include "cuset/stream/input.h"

namespace cuset {

struct tar_file {
    std::string path, content;
    bool is_too_large = false;  ///< more than 64 MiB; then it has no content
};

/// POSIX ustar and pax, and GNU's long names. Other members than regular files are passed over.
class tar_files {
public:
    explicit tar_files(input in) : in_(std::move(in)) {}
    /// The next regular file; nothing at the end.
    result<std::optional<tar_file>> next();

private:
    result<bool> read(std::string& out, std::size_t bytes);
    status skip(std::uint64_t bytes);

    input in_;
};

}  // namespace cuset
