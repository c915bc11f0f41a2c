// Writes JSON text piece by piece, with commas, colons and quotes where they belong.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>

namespace cuset {

/// The layout of an object or array.
enum class json_layout : unsigned char {
    line,   ///< on one line
    lines,  ///< each member on its own line; allowed if all enclosing values have lines too
};

/// Appends one JSON value to a string. The caller must give keys in objects only, and close what it
/// opens. The text has no blanks, unless the outermost object has json_layout::lines: then one
/// follows each colon, and each comma inside a line.
class json_writer {
public:
    explicit json_writer(std::string& out) : out_(out) {}

    json_writer& begin_object(json_layout layout = json_layout::line) { return open('{', layout); }
    json_writer& end_object() { return close('}'); }
    json_writer& begin_array(json_layout layout = json_layout::line) { return open('[', layout); }
    json_writer& end_array() { return close(']'); }

    json_writer& key(std::string_view name);

    json_writer& value(std::string_view text);
    json_writer& value(std::integral auto number) {
        if constexpr (std::same_as<decltype(number), bool>)
            return raw(number ? "true" : "false");
        else
            return raw(std::to_string(number));
    }
    /// The shortest decimal that reads back as the number; null if it is not finite.
    json_writer& value(double number);
    /// `digits` significant digits, in the shorter form of %g; null if it is not finite.
    json_writer& value(double number, int digits);
    template <class Value>
    json_writer& value(const std::optional<Value>& some) {
        return some ? value(*some) : null();
    }
    json_writer& null() { return raw("null"); }
    /// A record's id, which is kept as text. It is written as a number if it is an integer.
    json_writer& id(std::string_view text);
    /// Text that is JSON already.
    json_writer& raw(std::string_view json);

    /// A key, and arguments of value().
    template <class... Value>
    json_writer& member(std::string_view name, const Value&... some) {
        return key(name).value(some...);
    }
    /// An array on one line. `digits`, if given, is that of its numbers.
    template <std::ranges::input_range Values, class... Digits>
    json_writer& values(const Values& all, Digits... digits) {
        begin_array();
        for (const auto& each : all) value(each, digits...);
        return end_array();
    }

private:
    json_writer& open(char bracket, json_layout layout);
    json_writer& close(char bracket);
    void begin_value();
    void begin_line();

    std::string& out_;
    std::size_t depth_ = 0;
    std::size_t depth_of_lines_ = 0;  // how many open values, from the outermost, have lines
    bool follows_value_ = false, follows_key_ = false;
};

/// The text that json_writer::value() writes for it.
template <class... Value>
std::string json_of(const Value&... some) {
    std::string text;
    json_writer(text).value(some...);
    return text;
}

}  // namespace cuset
