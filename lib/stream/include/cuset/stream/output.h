// An output stream: an output_file, with zstd or without.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cuset/base/status.h"
#include "cuset/stream/output_file.h"

namespace cuset {

/// The kind of output, which decides the form on standard output. For a file its name decides:
/// `x.zst` is compressed, any other name is not.
enum class output_form : unsigned char {
    records,  ///< zstd on standard output, unless that is a terminal or plain text was asked for
    text,     ///< always plain on standard output
};

struct output_options {
    std::string path = "-";
    output_form form = output_form::records;
    bool plain = false;         ///< no zstd on standard output
    int compression_level = 3;  ///< zstd's, 1 to 22
};

/// Writes one zstd frame with a content checksum, or plain bytes. If a stream is destroyed without
/// finish(), its frame stays open, so that the next tool sees a truncated stream and not a good
/// end. This holds even if nothing was written, since no bytes at all would be an empty plain
/// stream.
class output {
public:
    /// A usage error for a name that promises another form, such as x.gz, or x.csv for records.
    static result<output> open(const output_options& options);
    output(output&&) noexcept;
    /// `other` ends the stream that was here.
    output& operator=(output&& other) noexcept {
        state_.swap(other.state_);
        return *this;
    }
    ~output();

    status write(std::string_view bytes);
    /// Makes all that was written visible to the reader at the other end.
    status flush();
    /// Ends the frame and commits the file.
    status finish();
    /// Gives an output up: nothing more is written to it, not even the beginning of an open frame.
    void abandon();

    file_identity identity() const;

private:
    struct state;
    explicit output(std::unique_ptr<state> s);
    std::unique_ptr<state> state_;
};

}  // namespace cuset
