// An input stream: the bytes of one file, decompressed if the file is zstd or gzip, and as JSON
// Lines if it is a table.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "cuset/base/status.h"
#include "cuset/stream/output_file.h"

namespace cuset {

/// The magic number decides whether the input is zstd or gzip, never the file's name. Several
/// frames (or gzip's members) in a row are one stream. A truncated or corrupt stream is a data
/// error.
///
/// The rows of a Parquet or Arrow file, and of a folder that Hugging Face's datasets wrote, are one
/// JSON object a line. They need a regular file, and a build with Arrow.
class input {
public:
    /// "-" is standard input; a terminal there is a usage error. Checks that the file exists and
    /// may be read. The file is opened with the first read and closed at its end, so that any
    /// number of inputs costs one descriptor and one buffer.
    static result<input> open(const std::string& path);
    input(input&&) noexcept;
    input& operator=(input&&) noexcept;
    ~input();

    /// Reads up to buffer.size() (> 0) decompressed bytes; 0 is the end. Blocks only if nothing has
    /// arrived yet, and returns what has.
    result<std::size_t> read(std::span<char> buffer);
    /// From now on a read that would block ends with an error once `event` is readable.
    void set_interrupt(int event);
    /// Whether read() would return without waiting for the writer at the other end.
    bool is_readable_now() const;

    file_identity identity() const;
    /// The name in messages: the path, or "standard input".
    const std::string& name() const;
    /// Compressed bytes that what was read so far took, up to a block of the compression, and all
    /// that there are (0 if unknown, as in a pipe).
    std::uint64_t bytes_consumed() const;
    std::uint64_t bytes_total() const;

private:
    struct state;
    explicit input(std::unique_ptr<state> s);
    std::unique_ptr<state> state_;
};

}  // namespace cuset
