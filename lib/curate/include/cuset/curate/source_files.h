// CUDA and HIP source files as records.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cuset/base/status.h"
#include "cuset/curate/curation.h"

namespace cuset {

/// ".cu", ".hip", ".cuh", ".h", ".hpp", ".hh" or ".inl", or empty where the path has another
/// ending.
std::string_view ending_of_source(std::string_view path);

/// The .cu and .hip files of a folder and all folders in it, and its headers with a kernel, in the
/// order of their paths; or those of a tar archive (plain, gzip or zstd), in its order.
class source_files {
public:
    /// `place`: a folder or an archive; "-" is an archive on standard input. Links to files and
    /// folders are not followed. An I/O error if it is missing. `reads_latin1`: a file that is no
    /// UTF-8 is ISO 8859-1.
    static result<source_files> open(const std::string& place, bool reads_latin1 = false);
    source_files(source_files&&) noexcept;
    source_files& operator=(source_files&&) noexcept;
    ~source_files();

    /// The next file, {"id":PATH,"path":PATH,"license":"MIT","sha256":"…","response":"…"}: the path
    /// below the folder, or in the archive; license_of() its comments or, where that is none or
    /// unknown, that of the licence file in the nearest folder around it, with its path as a member
    /// "license_file" (of an archive on standard input, one before the file); the SHA-256
    /// of its bytes. A file that is no UTF-8 otherwise makes a line that is no record, whose place
    /// names the line and the byte. A file in an archive
    /// of more than 64 MiB is passed over, with a note. Nothing at the end. A data error for an
    /// archive that is broken or cut.
    result<std::optional<curation_line>> next();

private:
    struct state;
    explicit source_files(std::unique_ptr<state> s);
    std::unique_ptr<state> state_;
};

}  // namespace cuset
