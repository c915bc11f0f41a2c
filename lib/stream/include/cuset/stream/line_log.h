// A growing file of lines that records a tool's work, so that an interrupted run can continue.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cuset/base/fd.h"
#include "cuset/base/status.h"
#include "cuset/stream/line_reader.h"

namespace cuset {

class line_log {
public:
    /// Creates the file if it is missing. If a killed run has cut off the last line, removes that
    /// line once `visit` has accepted the others. `visit` gets each line, and the prefix of its
    /// errors ("FILE:LINE: "); an error that it returns ends the opening.
    /// error_kind::usage: another process has the file open as a log; it is compressed or no plain
    /// file; or the cut-off end does not begin like a line of this kind (`beginning`). A data error
    /// for a line longer than `longest_line`.
    using visitor = std::function<status(const line& l, const std::string& place)>;
    static result<line_log> open(const std::string& path, std::string_view beginning,
                                 const visitor& visit, std::size_t longest_line = any_length);

    /// Appends a line, newline included. One write does it, so that a later open finds all of it or
    /// nothing.
    status append(std::string_view text) { return write_all(file_.get(), text, name_); }
    /// Makes the last writes survive a crash of the machine.
    status sync();
    /// Replaces the file by one with the wanted lines, whole or not at all. Nothing may be appended
    /// after it.
    status keep(const std::function<bool(const line& l)>& wanted,
                std::size_t longest_line = any_length);

private:
    line_log() = default;
    unique_fd file_;
    std::string name_;
};

/// Calls `visit` for each line of files. A data error for a line longer than `longest_line`.
status for_lines(const std::vector<std::string>& paths, const line_log::visitor& visit,
                 std::size_t longest_line = any_length);

}  // namespace cuset
