#include "cuset/stream/line_source.h"

#include "cuset/stream/pair_record.h"
#include "opened_stream.h"

namespace cuset {

line_source::line_source(const stream_options& options, line_reader lines, reject_file rejects)
    : lines_(std::move(lines)),
      rejects_(std::move(rejects)),
      skip_errors_(options.skip_errors),
      shard_index_(options.shard_index),
      shard_count_(options.shard_count),
      // Who names it wants no input.
      may_be_empty_(options.inputs == std::vector<std::string>{"/dev/null"}) {}

result<line_source> line_source::open(const stream_options& options) {
    CUSET_ASSIGN(opened_stream opened, opened_stream::open(options));
    constexpr std::size_t batch_bytes = 16 * 1024;
    line_reader lines(std::move(opened.inputs), batch_bytes, options.longest_line);
    return line_source(options, std::move(lines), std::move(opened.rejects));
}

result<const line*> line_source::next() {
    while (next_ == batch_.lines.size()) {
        CUSET_ASSIGN(const bool more, lines_.next(batch_));
        next_ = 0;
        batch_begin_ = std::exchange(batch_end_, lines_.bytes_consumed());
        if (!more) {
            batch_.lines.clear();
            if (batch_end_ == 0 && !std::exchange(may_be_empty_, true)) tell_empty_input();
            return nullptr;
        }
    }
    return &batch_.lines[next_++];
}

std::uint64_t line_source::bytes_consumed() const {
    if (batch_.lines.empty()) return batch_end_;
    return batch_begin_ + (batch_end_ - batch_begin_) * next_ / batch_.lines.size();
}

bool line_source::is_mine(std::string_view id) const {
    return is_in_shard(id, shard_index_, shard_count_);
}

line_source::kept_line line_source::keep() const {
    return {std::string(batch_.lines[next_ - 1].text), place()};
}

std::string line_source::place() const {
    return place_of(lines_.source(batch_.source), batch_.lines[next_ - 1]);
}

status line_source::reject(status reason) {
    ++records_;
    return set_aside(keep(), std::move(reason));
}

status line_source::set_aside(const kept_line& l, status reason) {
    reason = std::move(reason).with_prefix(l.place);
    if (!skip_errors_ || reason.kind() != error_kind::data) return reason;
    ++rejected_;
    rejects_.tell(reason);
    return rejects_.write(l.text + '\n');
}

}  // namespace cuset
