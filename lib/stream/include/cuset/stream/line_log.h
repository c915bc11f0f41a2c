// A file of lines that grows: what a tool has done, so that a run that was interrupted goes on.
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
    /// Makes the file where it is missing, and removes the end of a line that was cut off (a killed
    /// run), once `visit` has accepted the others. error_kind::usage where another process has it
    /// open as a log, where it is compressed or no plain file, or where what was cut off does not
    /// begin as lines of this kind do (`beginning`); a data error for a line longer than
    /// `longest_line`. `visit` gets each line that is there, and what
    /// stands before its errors ("FILE:LINE: "); an error that it returns ends the opening.
    using visitor = std::function<status(const line& l, const std::string& place)>;
    static result<line_log> open(const std::string& path, std::string_view beginning,
                                 const visitor& visit, std::size_t longest_line = any_length);

    /// Appends a line, newline included: in one write, so that a later open finds it or not.
    status append(std::string_view text) { return write_all(file_.get(), text, name_); }
    /// Makes what was written last through a crash of the machine.
    status sync();

private:
    line_log() = default;
    unique_fd file_;
    std::string name_;
};

/// Calls `visit` for each line of files. A data error for a line longer than `longest_line`.
status for_lines(const std::vector<std::string>& paths, const line_log::visitor& visit,
                 std::size_t longest_line = any_length);

}  // namespace cuset
