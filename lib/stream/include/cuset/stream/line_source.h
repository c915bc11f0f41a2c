// Lines of one shard, for tools that take them one by one. Bad lines are set aside.
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

    /// The next line, valid until the next call; null at the end. A read that would block ends with
    /// an error once the interrupt is readable.
    result<const line*> next();
    void set_interrupt(int event) { lines_.set_interrupt(event); }
    /// Whether next() would wait for the writer at the other end.
    bool would_wait() const { return next_ == batch_.lines.size() && !lines_.is_readable_now(); }

    /// Whether a record with this id belongs to this shard. Without an id the line's number
    /// decides.
    bool is_mine(std::string_view id) const;
    bool is_mine(const line& l) const { return l.number % shard_count_ == shard_index_; }

    /// Counts the last returned line as a record.
    void accept() { ++records_; }
    /// Counts the last returned line as bad and sets it aside. If bad lines are not skipped,
    /// returns the error instead, with the line's place in front. The first ten reasons are
    /// reported as notes.
    status reject(status reason);

    /// A line that is kept for later: its text, and "FILE:LINE: ".
    struct kept_line {
        std::string text, place;
    };
    kept_line keep() const;
    /// The place of the last returned line, "FILE:LINE: ".
    std::string place() const;
    /// Does the same as reject() for a line that was accepted earlier.
    status set_aside(const kept_line& l, status reason);

    /// Completes the file of rejects.
    status finish() { return rejects_.finish(); }

    std::uint64_t records() const { return records_; }
    std::uint64_t rejected() const { return rejected_; }
    /// The input's bytes up to the line that was returned last, as far as they are known.
    std::uint64_t bytes_consumed() const;
    std::uint64_t bytes_total() const { return lines_.bytes_total(); }

private:
    line_source(const stream_options& options, line_reader lines, reject_file rejects);

    line_reader lines_;
    reject_file rejects_;
    bool skip_errors_;
    std::uint64_t shard_index_, shard_count_;
    bool may_be_empty_;  // or it was noted already that it is
    line_batch batch_;
    std::size_t next_ = 0;
    std::uint64_t batch_begin_ = 0, batch_end_ = 0;  // the batch's range in the input's bytes
    std::uint64_t records_ = 0, rejected_ = 0;
};

}  // namespace cuset
