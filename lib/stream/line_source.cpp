#include "cuset/stream/line_source.h"

#include "cuset/base/log.h"
#include "cuset/stream/pair_record.h"

namespace cuset {

namespace {

/// The number of reasons that are shown, so that a file of another kind does not fill the screen.
constexpr std::uint64_t most_reasons = 10;

}  // namespace

line_source::line_source(const line_source_options& options, line_reader lines,
                         std::optional<output> rejects)
    : lines_(std::move(lines)),
      rejects_(std::move(rejects)),
      skip_errors_(options.skip_errors),
      shard_index_(options.shard_index),
      shard_count_(options.shard_count) {}

result<line_source> line_source::open(const line_source_options& options) {
    std::vector<input> inputs;
    std::vector<std::string> paths = options.inputs;
    if (paths.empty()) paths.emplace_back("-");
    for (const auto& path : paths) {
        CUSET_ASSIGN(input file, input::open(path));
        inputs.push_back(std::move(file));
    }
    std::optional<output> rejects;
    auto written = options.written;
    if (!options.rejects.empty()) {
        if (options.rejects == "-") return usage_error("--rejects: standard output is no FILE");
        CUSET_ASSIGN(output opened,
                     output::open({.path = options.rejects, .form = output_form::text}));
        written.emplace_back("--rejects", opened.identity());
        rejects.emplace(std::move(opened));
    }
    for (const input& file : inputs)
        for (const auto& [name, identity] : written)
            if (file.identity().is_same_file(identity))
                return usage_error(file.name() + ": input and " + name + " are the same file");
    return line_source(options,
                       line_reader(std::move(inputs), options.batch_bytes, options.longest_line),
                       std::move(rejects));
}

result<const line*> line_source::next() {
    while (next_ == batch_.lines.size()) {
        CUSET_ASSIGN(const bool more, lines_.next(batch_));
        next_ = 0;
        batch_begin_ = std::exchange(batch_end_, lines_.bytes_consumed());
        if (!more) {
            batch_.lines.clear();
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
    const line& l = batch_.lines[next_ - 1];
    return {std::string(l.text),
            lines_.source(batch_.source).name() + ':' + std::to_string(l.number) + ": "};
}

status line_source::reject(status reason) {
    ++records_;
    return set_aside(keep(), std::move(reason));
}

status line_source::set_aside(const kept_line& l, status reason) {
    reason = std::move(reason).with_prefix(l.place);
    if (!skip_errors_ || reason.kind() != error_kind::data) return reason;
    if (rejected_++ < most_reasons)
        log(log_level::note, "rejected: " + reason.message() +
                                 (rejected_ == most_reasons ? " (no more are told)" : ""));
    return rejects_->write(l.text + '\n');
}

status line_source::finish() { return rejects_ ? rejects_->finish() : status(); }

}  // namespace cuset
