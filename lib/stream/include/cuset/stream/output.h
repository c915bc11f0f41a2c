// An output stream: an output_file behind zstd or not.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cuset/base/status.h"
#include "cuset/stream/output_file.h"

namespace cuset {

/// What is written: decides what happens on standard output. A file's name decides elsewhere:
/// `x.zst` compresses, any other name does not.
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

/// One zstd frame with a content checksum, or plain bytes. A stream that is destroyed without
/// finish() leaves its frame open, so that the next tool sees a truncated stream, never a good end:
/// also where nothing was written yet, since no bytes at all would be an empty plain stream.
class output {
public:
    static result<output> open(const output_options& options);
    output(output&&) noexcept;
    output& operator=(output&&) = delete;
    ~output();

    status write(std::string_view bytes);
    /// Makes everything written so far visible to whoever reads the other end.
    status flush();
    /// Ends the frame and commits the file.
    status finish();
    /// For an output that is refused: nothing more is written to it, not even the beginning of an
    /// open frame.
    void abandon();

    file_identity identity() const;

private:
    struct state;
    explicit output(std::unique_ptr<state> s);
    std::unique_ptr<state> state_;
};

}  // namespace cuset
