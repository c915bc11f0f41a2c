// What a stream of lines or records reads, and what becomes of its bad lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cuset/stream/line_reader.h"
#include "cuset/stream/output.h"

namespace cuset {

/// Something that a tool writes.
struct written_file {
    std::string name;  ///< in a message
    file_identity identity;
    output* opened = nullptr;  ///< abandoned where it is refused
};

struct stream_options {
    std::vector<std::string> inputs;  ///< paths; "-" is standard input; none means that too
    std::optional<output_options> output = {};  ///< of filter_records; none: workers write no lines
    int threads = 0;                            ///< in total; 0 = all
    bool skip_errors = false;  ///< bad lines go to `rejects`; else the first one is an error
    std::string rejects;
    std::uint64_t shard_index = 0, shard_count = 1;
    std::size_t batch_bytes = 256 * 1024;   ///< of input lines that one process() call sees
    std::size_t longest_line = any_length;  ///< see line_reader: a longer one ends the reading
    bool flush_batches = false;             ///< make each batch visible at once (slow tools)
    std::string unit = "records";           ///< what progress counts: see record_outcome::units
    /// What else the tool writes. It is a usage error where an input is written too, or where two
    /// of what is written are one file or pipe.
    std::vector<written_file> written = {};
};

}  // namespace cuset
