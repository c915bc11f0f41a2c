#include "cuset/host/implicit_conversions.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "cuset/sandbox/text_lines.h"
#include "cuset/syntax/cuda_program.h"
#include "text_edits.h"

namespace cuset {

using namespace syntax;

namespace {

using place = std::pair<std::size_t, std::size_t>;  // a line and a column, from 1

/// A warning: where it is, and, if that is in a macro, where the macros are used, inside out.
struct conversion {
    std::vector<place> places;
    /// The integer's type; empty in the instance of a template, where others have other types.
    std::string type;
};

/// Takes `12:5` off "program.cu:12:5: warning: …"; nothing if the line is not about that file.
std::optional<place> take_place(std::string_view& line, std::string_view path) {
    if (!line.starts_with(path)) return std::nullopt;
    line.remove_prefix(path.size());
    place found;
    for (std::size_t* const number : {&found.first, &found.second}) {
        if (!line.starts_with(':')) return std::nullopt;
        const auto [end, error] =
            std::from_chars(line.data() + 1, line.data() + line.size(), *number);
        if (error != std::errc()) return std::nullopt;
        line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    }
    return found;
}

/// The built-in type of "conversion from 'float' to 'pixel' {aka 'unsigned char'} may …"; empty if
/// it is none that integers have. g++'s quotes are ' or UTF-8's.
std::string integer_type(std::string_view message) {
    const std::size_t aka = message.rfind("{aka ");
    const std::size_t at = aka == message.npos ? message.rfind(" to ") : aka;
    if (at == message.npos) return {};
    message.remove_prefix(at + 4);
    const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
    while (!message.empty() && !is_letter(message.front())) message.remove_prefix(1);
    const auto end =
        std::ranges::find_if(message, [&](char c) { return !is_letter(c) && c != ' '; });
    const std::string type(message.begin(), end);
    constexpr std::string_view words[] = {"signed", "unsigned", "char", "short", "int", "long"};
    for (std::string_view rest = type; !rest.empty();) {
        const std::string_view first = rest.substr(0, rest.find(' '));
        if (!is_one_of(first, words)) return {};
        rest.remove_prefix(std::min(first.size() + 1, rest.size()));
    }
    return type;
}

/// The conversions to integers that the messages warn of.
std::vector<conversion> conversions_in(std::string_view messages, std::string_view path) {
    std::vector<conversion> found;
    bool is_instance = false, goes_on = false;
    while (!messages.empty()) {
        std::string_view line = take_line(messages);
        if (line.find(": In ") != line.npos)
            is_instance = line.find(": In instantiation of ") != line.npos ||
                          line.find(": In substitution of ") != line.npos;
        const auto at = take_place(line, path);
        if (line.find(": note: in expansion of macro ") != line.npos) {
            if (goes_on && at) found.back().places.push_back(*at);
            continue;
        }
        if (line.find(": note: in definition of macro ") != line.npos) continue;
        goes_on = at && line.starts_with(": warning: conversion from ") &&
                  line.ends_with("may change value [-Wfloat-conversion]");
        if (!goes_on) continue;
        std::string type = integer_type(line);
        goes_on = !type.empty();
        if (goes_on) found.push_back({{*at}, is_instance ? std::string() : std::move(type)});
    }
    return found;
}

constexpr std::uint32_t longest = 2048;  // tokens of a value: keeps hostile text linear

class conversion_writer {
public:
    explicit conversion_writer(const cuda_program& program)
        : program_(program), code_(program.code) {}

    /// Finds the tokens at the places.
    void find(const std::vector<conversion>& wanted);
    std::optional<std::string> write();

private:
    void look_at(std::uint32_t token, const std::string& type);
    bool is_computed_assignment(std::uint32_t i) const;
    std::uint32_t first_of(std::uint32_t i) const;
    std::uint32_t end_of(std::uint32_t i) const;
    bool begins_value(std::uint32_t i) const;

    const cuda_program& program_;
    const token_stream& code_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> values_;  // and their types
    std::map<std::uint32_t, std::uint32_t> assignments_;  // computing ones: begin and end, in bytes
};

/// A line's number may stand for several, behind #line: all of them are meant.
void conversion_writer::find(const std::vector<conversion>& wanted) {
    std::map<place, std::vector<std::uint32_t>> tokens;
    for (const conversion& each : wanted)
        for (const place& at : each.places) tokens[at];
    std::uint32_t define_end = 0;
    std::size_t start = 0, newline = code_.text.find('\n');
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
        const std::size_t begin = code_.tokens[i].begin;
        for (; newline < begin; newline = code_.text.find('\n', start)) start = newline + 1;
        if (code_.is(i, define)) define_end = code_.tokens[i].link;
        if (i < define_end || !program_.runs_on_device(i)) continue;
        const auto at = tokens.find({program_.line_of(i), begin - start + 1});
        if (at != tokens.end()) at->second.push_back(i);
    }
    for (const conversion& each : wanted)
        for (const place& at : each.places) {
            for (const std::uint32_t token : tokens[at]) look_at(token, each.type);
            if (!tokens[at].empty()) break;
        }
}

/// Whether `+=`, `-=`, `*=` or `/=` is at token i.
bool conversion_writer::is_computed_assignment(std::uint32_t i) const {
    return is_assignment(code_, i) &&
           (code_.is(i, '+') || code_.is(i, '-') || code_.is(i, '*') || code_.is(i, '/'));
}

/// Whether token i stands before a value that is converted as a whole.
bool conversion_writer::begins_value(std::uint32_t i) const {
    if (code_.is(i, '=') || code_.is(i, '(') || code_.is(i, ',') ||
        code_.is_any_word(i, {"return"}))
        return true;
    // The brace of a list, and not of a block.
    return code_.is(i, '{') &&
           (code_.is(i - 1, '=') || code_.is(i - 1, ']') || code_.is(i - 1, ',') ||
            code_.is(i - 1, '{') || code_.is_any_word(i - 1, {"return"}) ||
            (code_.is(i - 1, word) && !code_.is_any_word(i - 1, {"else", "do", "try", "mutable"})));
}

/// The first token of the value that token i is in; no_token if it is not a value as a whole.
std::uint32_t conversion_writer::first_of(std::uint32_t i) const {
    std::uint32_t j = i;
    if (code_.is_closer(i)) {
        j = code_.tokens[i].link;
        if (j == no_token) return no_token;
    }
    const std::uint32_t floor = i < longest ? 0 : i - longest;
    while (j > floor && !begins_value(j - 1)) {
        --j;
        if (code_.is(j, ';') || code_.is_opener(j)) return no_token;
        const bool ends_arguments =
            code_.is(j, greater) && (code_.is(j + 1, '(') || code_.is(j + 1, scope));
        if (!code_.is_closer(j) && !ends_arguments) continue;
        const std::uint32_t open = part_start(code_, j, floor);
        if (open != no_token)
            j = open;
        else if (!ends_arguments)
            return no_token;
    }
    return j <= floor ? no_token : j;
}

/// The token behind the value that token i is in.
std::uint32_t conversion_writer::end_of(std::uint32_t i) const {
    const std::uint32_t limit = std::min(i + longest, code_.size());
    for (; i < limit; ++i) {
        if (code_.is(i, ';') || code_.is(i, ',') || code_.is_closer(i) || code_.is(i, define_end))
            return i;
        if (may_open_angle(code_, i)) {
            const std::uint32_t close = closing_angle(code_, i, limit);
            if (close != no_token && (code_.is(close + 1, '(') || code_.is(close + 1, scope)))
                i = close;
        } else {
            i = code_.group_end(i);
        }
    }
    return no_token;
}

void conversion_writer::look_at(std::uint32_t token, const std::string& type) {
    if (is_computed_assignment(token)) {
        assignments_[code_.tokens[token].begin] = code_.tokens[token + 1].end;
        return;
    }
    const std::uint32_t first = first_of(token),
                        end = end_of(code_.is_closer(token) ? token + 1 : token);
    if (first == no_token || end == no_token) return;
    const bool is_statement = code_.is(first - 1, '{') && code_.is(end, ';');
    const bool is_pack = code_.is(end - 1, '.');
    if (is_statement || is_pack) return;
    const auto [at, is_new] =
        values_.emplace(std::pair(code_.tokens[first].begin, code_.tokens[end - 1].end), type);
    if (!is_new && at->second != type) at->second.clear();
}

std::optional<std::string> conversion_writer::write() {
    if (values_.empty() && assignments_.empty()) return std::nullopt;
    text_edits edits(code_.text);
    for (const auto& [range, type] : values_) {
        edits.insert(range.first, type.empty() ? "::cuset_host::to_any("
                                               : "::cuset_host::cast_to<" + type + ">(");
        edits.insert(range.second, ")");
    }
    for (const auto& [begin, end] : assignments_)
        edits.insert(end,
                     " ::cuset_host::by_cvt " + std::string(code_.text.substr(begin, end - begin)));
    return edits.apply();
}

}  // namespace

std::optional<std::string> with_ptx_conversions(std::string_view text, std::string_view messages,
                                                std::string_view path) {
    const std::vector<conversion> wanted = conversions_in(messages, path);
    if (wanted.empty()) return std::nullopt;
    const cuda_program program = read_cuda_program(text);
    conversion_writer writer(program);
    writer.find(wanted);
    return writer.write();
}

}  // namespace cuset
