// A temporary file to which bytes are appended and from which they are read back: what a curation
// keeps of its records outside memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cuset/base/fd.h"
#include "cuset/base/status.h"

namespace cuset {

class spool {
public:
    /// In $TMPDIR, or /tmp. Nobody else sees the file, and it ends with the object.
    static result<spool> make();

    /// Appends bytes and returns their offset.
    result<std::uint64_t> append(std::string_view bytes);
    /// Sets `out` to the `size` bytes at `offset`, all of which were appended.
    status read(std::uint64_t offset, std::size_t size, std::string& out);
    std::uint64_t size() const { return written_ + waiting_.size(); }

private:
    spool(unique_fd file, std::string folder) : file_(std::move(file)), name_(std::move(folder)) {}
    status flush();

    unique_fd file_;
    std::string name_;
    std::string waiting_;
    std::uint64_t written_ = 0;
};

}  // namespace cuset
