// The inputs and the rejects file, which line_source and filter_records share. Private to
// lib/stream.
#pragma once

#include <string>
#include <vector>

#include "cuset/stream/input.h"
#include "cuset/stream/reject_file.h"
#include "cuset/stream/stream_options.h"

namespace cuset {

result<std::vector<input>> open_inputs(const std::vector<std::string>& paths);

/// "FILE:LINE: ", the prefix of a line's errors; "FILE:LINE: element N: " in a JSON array.
std::string place_of(const input& file, const line& l);

/// Notes that an input has no byte: plain text that a failed program leaves behind looks like a
/// stream without records. An empty frame, array or table has bytes that say that it ended well.
void tell_empty_input();

struct opened_stream {
    std::vector<input> inputs;
    reject_file rejects;

    /// `own`, if it is open, is one more output, which filter_records writes.
    static result<opened_stream> open(const stream_options& options, output* own = nullptr);
};

}  // namespace cuset
