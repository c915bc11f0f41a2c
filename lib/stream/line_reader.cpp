#include "cuset/stream/line_reader.h"

#include <algorithm>
#include <cstring>

namespace cuset {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

bool is_blank(std::string_view text) {
    return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

line_reader::line_reader(std::vector<input> inputs, std::size_t batch_bytes,
                         std::size_t longest_line)
    : inputs_(std::move(inputs)), batch_bytes_(batch_bytes), longest_line_(longest_line) {}

std::uint64_t line_reader::bytes_consumed() const {
    std::uint64_t sum = 0;
    for (const input& in : inputs_) sum += in.bytes_consumed();
    return sum;
}

std::uint64_t line_reader::bytes_total() const {
    std::uint64_t sum = 0;
    for (const input& in : inputs_) {
        if (in.bytes_total() == 0) return 0;
        sum += in.bytes_total();
    }
    return sum;
}

void line_reader::split(line_batch& batch, std::size_t size) {
    const char* at = batch.bytes.get();
    const char* const end = at + size;
    while (at < end) {
        const void* newline = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
        const char* stop = newline ? static_cast<const char*>(newline) : end;
        std::string_view text(at, static_cast<std::size_t>(stop - at));
        at = stop + 1;
        if (text.size() > longest_line_) return refuse_line(lines_seen_ + 1);
        if (++lines_seen_ == 1 && text.starts_with(byte_order_mark))
            text.remove_prefix(byte_order_mark.size());
        if (!is_blank(text)) batch.lines.push_back({text, lines_seen_});
    }
}

/// Room for the longest line, and for the bytes that a read brings after it.
std::size_t line_reader::bounded_capacity(std::size_t wanted) const {
    if (longest_line_ >= any_length - batch_bytes_) return wanted;
    return std::min(wanted, longest_line_ + batch_bytes_);
}

void line_reader::refuse_line(std::uint64_t number) {
    constexpr std::size_t mebibyte = 1 << 20;
    const std::string limit = longest_line_ % mebibyte == 0
                                  ? std::to_string(longest_line_ / mebibyte) + " MiB"
                                  : std::to_string(longest_line_) + " bytes";
    error_ = data_error(inputs_[current_].name() + ':' + std::to_string(number) +
                        ": the line is longer than " + limit);
}

void line_reader::set_interrupt(int event) {
    for (input& in : inputs_) in.set_interrupt(event);
}

result<bool> line_reader::next(line_batch& batch) {
    batch.lines.clear();
    batch.input_paused = false;
    if (!error_.is_ok()) return error_;
    while (current_ < inputs_.size()) {
        input& in = inputs_[current_];
        std::size_t capacity = bounded_capacity(std::max(batch_bytes_, 2 * partial_line_.size()));
        auto bytes = std::make_unique_for_overwrite<char[]>(capacity + line_padding);
        std::size_t size = partial_line_.copy(bytes.get(), partial_line_.size());
        std::size_t whole = 0;  // bytes up to the last newline
        bool at_end = false, is_too_long = false;
        for (;;) {
            if (size == capacity) {
                capacity = bounded_capacity(2 * capacity);
                auto larger = std::make_unique_for_overwrite<char[]>(capacity + line_padding);
                std::memcpy(larger.get(), bytes.get(), size);
                bytes = std::move(larger);
            }
            auto n = in.read(std::span(bytes.get() + size, capacity - size));
            if (!n) {
                error_ = std::move(n).error();
                break;
            }
            if (*n == 0) {
                at_end = true;
                break;
            }
            if (const void* newline = ::memrchr(bytes.get() + size, '\n', *n))
                whole =
                    static_cast<std::size_t>(static_cast<const char*>(newline) - bytes.get()) + 1;
            size += *n;
            is_too_long = size - whole > longest_line_;
            if (is_too_long) break;
            if (whole == 0 && pause_is_told_) continue;
            batch.input_paused = !in.is_readable_now();
            if ((whole > 0 && size >= batch_bytes_) || batch.input_paused) break;
        }
        if (at_end) {
            whole = size;
            // The next read may have to wait, as in a pipe.
            batch.input_paused =
                current_ + 1 < inputs_.size() && !inputs_[current_ + 1].identity().is_regular;
        }
        std::memset(bytes.get() + size, 0, line_padding);
        partial_line_.assign(bytes.get() + whole, is_too_long ? 0 : size - whole);
        batch.bytes = std::move(bytes);
        batch.source = current_;
        split(batch, whole);
        if (is_too_long && error_.is_ok()) refuse_line(lines_seen_ + 1);
        if (at_end) {
            ++current_;
            lines_seen_ = 0;
        }
        // A batch without lines still reports a pause: the lines before it must be written.
        if (!batch.lines.empty() || batch.input_paused) {
            pause_is_told_ = batch.input_paused;
            return true;
        }
        if (!error_.is_ok()) return error_;
    }
    return false;
}

}  // namespace cuset
