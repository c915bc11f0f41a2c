// Lines for tools that take them one by one: of one shard, with the bad ones set aside.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cuset/base/status.h"
#include "cuset/stream/line_reader.h"
#include "cuset/stream/reject_file.h"
#include "cuset/stream/stream_options.h"

namespace cuset {

class line_source {
public:
    static result<line_source> open(const stream_options& options);

    /// The next line, valid until the next call; null at the end. A read that would block ends
    /// with an error once the interrupt is readable.
    result<const line*> next();
    void set_interrupt(int event) { lines_.set_interrupt(event); }
    /// Whether next() would wait for whoever writes the other end.
    bool would_wait() const { return next_ == batch_.lines.size() && !lines_.is_readable_now(); }

    /// Whether a record of this id is of this shard; of a line that has none, its number decides.
    bool is_mine(std::string_view id) const;
    bool is_mine(const line& l) const { return l.number % shard_count_ == shard_index_; }

    /// Counts the line last given as a record.
    void accept() { ++records_; }
    /// Counts it and sets it aside; or, where bad lines are not skipped, returns the error with the
    /// place of the line before it. The first ten reasons are told as notes.
    status reject(status reason);

    /// A line to come back to: its text, and "FILE:LINE: ".
    struct kept_line {
        std::string text, place;
    };
    kept_line keep() const;
    /// The same as reject() for a line that was accepted earlier.
    status set_aside(const kept_line& l, status reason);

    /// Makes the rejects whole.
    status finish() { return rejects_.finish(); }

    std::uint64_t records() const { return records_; }
    std::uint64_t rejected() const { return rejected_; }
    /// Bytes of the input up to the line that was returned last, as far as they are known.
    std::uint64_t bytes_consumed() const;
    std::uint64_t bytes_total() const { return lines_.bytes_total(); }

private:
    line_source(const stream_options& options, line_reader lines, reject_file rejects);

    line_reader lines_;
    reject_file rejects_;
    bool skip_errors_;
    std::uint64_t shard_index_, shard_count_;
    line_batch batch_;
    std::size_t next_ = 0;
    std::uint64_t batch_begin_ = 0, batch_end_ = 0;  // of the input's bytes
    std::uint64_t records_ = 0, rejected_ = 0;
};

}  // namespace cuset
