// The inputs of a stream of lines or records, and the treatment of its bad lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cuset/stream/line_reader.h"
#include "cuset/stream/output.h"

namespace cuset {

/// A file or pipe that a tool writes.
struct written_file {
    std::string name;  ///< as messages call it
    file_identity identity;
    output* opened = nullptr;  ///< abandoned if the file is refused
};

struct stream_options {
    std::vector<std::string> inputs;            ///< paths; "-" or none: standard input
    std::optional<output_options> output = {};  ///< of filter_records; none: no lines written
    std::string heading = {};                   ///< text before the first line of `output`
    int threads = 0;                            ///< in total; 0 = all
    bool skip_errors = false;  ///< bad lines go to `rejects`; else the first one is an error
    std::string rejects;
    std::uint64_t shard_index = 0, shard_count = 1;
    std::size_t batch_bytes = 256 * 1024;   ///< bytes of input lines for one process() call
    std::size_t longest_line = any_length;  ///< see line_reader: a longer one ends the reading
    bool flush_batches = false;             ///< write out each batch at once (for slow tools)
    std::string unit = "records";           ///< the unit of the progress: see record_outcome::units
    /// The tool's other outputs. It is a usage error if one of them is an input too, or if two
    /// outputs are one file or pipe.
    std::vector<written_file> written = {};
};

}  // namespace cuset
