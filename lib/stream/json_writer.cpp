#include "cuset/stream/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

#include "cuset/stream/json_text.h"

namespace cuset {
namespace {

template <class... Form>
std::string_view decimal(double number, std::array<char, 32>& text, Form... form) {
    if (!std::isfinite(number)) return "null";
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number, form...);
    return {text.data(), end.ptr};
}

}  // namespace

json_writer& json_writer::key(std::string_view name) {
    value(name);
    out_ += depth_of_lines_ > 0 ? ": " : ":";
    follows_key_ = true;
    return *this;
}

json_writer& json_writer::value(std::string_view text) {
    begin_value();
    append_json_string(text, out_);
    return *this;
}

json_writer& json_writer::value(double number) {
    std::array<char, 32> text;
    return raw(decimal(number, text));
}

json_writer& json_writer::value(double number, int digits) {
    std::array<char, 32> text;
    return raw(decimal(number, text, std::chars_format::general, digits));
}

json_writer& json_writer::id(std::string_view text) {
    std::int64_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_integer = read.ec == std::errc() && read.ptr == text.data() + text.size() &&
                            std::to_string(number) == text;  // not 007, not -0
    return is_integer ? raw(text) : value(text);
}

json_writer& json_writer::raw(std::string_view json) {
    begin_value();
    out_ += json;
    return *this;
}

json_writer& json_writer::open(char bracket, json_layout layout) {
    begin_value();
    out_ += bracket;
    if (layout == json_layout::lines && depth_ == depth_of_lines_) ++depth_of_lines_;
    ++depth_;
    follows_value_ = false;
    return *this;
}

json_writer& json_writer::close(char bracket) {
    if (depth_-- == depth_of_lines_) {
        --depth_of_lines_;
        begin_line();
    }
    out_ += bracket;
    follows_value_ = true;
    return *this;
}

void json_writer::begin_value() {
    const bool follows_key = std::exchange(follows_key_, false);
    const bool follows_value = std::exchange(follows_value_, true);
    if (follows_key) return;
    if (follows_value) out_ += ',';
    if (depth_ > 0 && depth_ == depth_of_lines_)
        begin_line();
    else if (follows_value && depth_of_lines_ > 0)
        out_ += ' ';
}

void json_writer::begin_line() {
    out_ += '\n';
    out_.append(2 * depth_, ' ');
}

}  // namespace cuset
