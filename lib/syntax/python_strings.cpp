#include "python_strings.h"

#include <algorithm>
#include <cstdint>

#include "cuset/syntax/lexer.h"

namespace cuset::syntax {
namespace {

// The position of the quote, if a string prefix (or none) and a quote are at p.
std::size_t quote_at(std::string_view s, std::size_t p) {
    std::size_t q = p;
    while (q < s.size() && q < p + 3 &&
           std::string_view("rRbBuUfFtT").find(s[q]) != std::string_view::npos)
        ++q;
    return q < s.size() && (s[q] == '"' || s[q] == '\'') ? q : std::string_view::npos;
}

constexpr std::size_t longest_field = 1024;  // bytes: keeps unclosed fields linear

// `p` is after the `{` of a replacement field. Returns the position of its `}`, or npos if this is
// no field (a newline or a semicolon shows that somebody forgot to double the braces of C++ code).
std::size_t field_end(std::string_view s, std::size_t p) {
    const std::size_t limit = std::min(s.size(), p + longest_field);
    for (std::size_t depth = 0; p < limit; ++p) {
        const char c = s[p];
        if (c == '\n' || c == ';') return s.npos;
        if (c == '{' || c == '[' || c == '(') ++depth;
        if (c == ']' || c == ')') depth -= depth > 0;
        if (c == '}' && depth-- == 0) return p;
        if (c == '"' || c == '\'') {  // Python 3.12 allows the literal's own quotes here
            p = s.find_first_of(c == '"' ? std::string_view("\"\n") : std::string_view("'\n"),
                                p + 1);
            if (p >= limit || s[p] == '\n') return s.npos;
        }
    }
    return s.npos;
}

python_literal read_literal(std::string_view s, std::size_t prefix, std::size_t quote) {
    python_literal l;
    l.begin = prefix;
    for (std::size_t i = prefix; i < quote; ++i) {
        const char c = static_cast<char>(s[i] | 0x20);
        l.raw |= c == 'r';
        l.format |= c == 'f' || c == 't';
    }
    l.quote = s[quote];
    l.triple = s.substr(quote + 1).starts_with(std::string(2, l.quote));
    l.content = quote + (l.triple ? 3 : 1);
    const std::string close(l.triple ? 3 : 1, l.quote);
    std::size_t p = l.content;
    while (p < s.size()) {
        if (s[p] == '\\') {
            p += s.substr(p + 1).starts_with("\r\n") ? 3U : 2U;
        } else if (s[p] == l.quote && s.substr(p).starts_with(close)) {
            l.closed = true;
            break;
        } else if (s[p] == '\n' && !l.triple) {
            break;
        } else if (l.format && s[p] == '{') {
            const bool doubled = p + 1 < s.size() && s[p + 1] == '{';
            const std::size_t end = doubled ? s.npos : field_end(s, p + 1);
            p = doubled ? p + 2 : end == s.npos ? p + 1 : end + 1;
        } else {
            ++p;
        }
    }
    l.content_end = std::min(p, s.size());
    l.end = l.closed ? p + close.size() : l.content_end;
    return l;
}

// Decodes literals and tracks, roughly, whether the decoded C++ is in a string or comment.
class decoder {
public:
    decoder(std::string_view source, python_code& out) : source_(source), out_(out) {}

    void append(const python_literal& l) {
        std::size_t p = l.content;
        while (p < l.content_end) {
            const std::size_t from = p;
            if (source_[p] == '\\' && !l.raw && p + 1 < l.content_end) {
                p = escape(p, l.content_end);
            } else if (l.format && (source_[p] == '{' || source_[p] == '}')) {
                p = brace(p, l.content_end);
            } else {
                ++p;
            }
            if (p == from + 1) verbatim(from, source_[from]);
        }
    }

private:
    void begin_segment(std::size_t begin, std::size_t end) {
        out_.segments.push_back({out_.text.size(), begin, end});
    }
    void verbatim(std::size_t at, char c) {
        const auto runs_on = [&] {
            if (out_.segments.empty() || out_.segments.back().end != 0) return false;
            const auto& last = out_.segments.back();
            return last.begin + (out_.text.size() - last.decoded) == at;
        };
        if (!runs_on()) begin_segment(at, 0);
        put(c);
    }
    void decoded(std::size_t begin, std::size_t end, std::string_view bytes) {
        begin_segment(begin, end);
        for (char c : bytes) put(c);
    }
    std::size_t escape(std::size_t p, std::size_t end);
    std::size_t brace(std::size_t p, std::size_t end);
    void put(char c);

    std::string_view source_;
    python_code& out_;
    char inside_ = 0;  // " ' / (line comment) * (block comment), or 0
    bool escaped_ = false;
};

void decoder::put(char c) {
    const char before = out_.text.empty() ? '\0' : out_.text.back();
    out_.text += c;
    if (inside_ == '*') {
        if (c == '/' && before == '*') inside_ = 0;
    } else if (c == '\n') {
        inside_ = 0;
        escaped_ = false;
    } else if (inside_ == '"' || inside_ == '\'') {
        if (c == inside_ && !escaped_) inside_ = 0;
        escaped_ = c == '\\' && !escaped_;
    } else if (inside_ == 0) {
        if (c == '"' || (c == '\'' && !is_word_byte(before))) inside_ = c;
        if (before == '/' && (c == '/' || c == '*')) inside_ = c;
    }
}

// Decodes the escape at p. Returns the position after it, or p + 1 if the backslash is literal.
std::size_t decoder::escape(std::size_t p, std::size_t end) {
    const char c = source_[p + 1];
    constexpr std::string_view letters = "ntrabfv\\'\"";
    constexpr std::string_view meanings = "\n\t\r\a\b\f\v\\'\"";
    if (c == '\n') return p + 2;
    if (c == '\r' && p + 2 < end && source_[p + 2] == '\n') return p + 3;
    if (c == 'n' && (inside_ == '"' || inside_ == '\'')) {
        decoded(p, p + 2, "\\n");
        return p + 2;
    }
    if (const std::size_t i = letters.find(c); i != letters.npos) {
        decoded(p, p + 2, meanings.substr(i, 1));
        return p + 2;
    }
    std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : c >= '0' && c <= '7' ? 3 : 0;
    if (digits == 0) return p + 1;
    const unsigned radix = digits == 3 ? 8 : 16;
    std::size_t q = p + (digits == 3 ? 1 : 2);
    std::uint64_t value = 0;
    for (; digits > 0 && q < end; --digits, ++q) {
        const char d = source_[q];
        const unsigned v = d >= '0' && d <= '9'   ? static_cast<unsigned>(d - '0')
                           : d >= 'a' && d <= 'f' ? static_cast<unsigned>(d - 'a' + 10)
                           : d >= 'A' && d <= 'F' ? static_cast<unsigned>(d - 'A' + 10)
                                                  : 99;
        if (v >= radix) break;
        value = value * radix + v;
    }
    const char byte = value < 128 ? static_cast<char>(value) : '?';  // no code needs more
    decoded(p, q, {&byte, 1});
    return q;
}

std::size_t decoder::brace(std::size_t p, std::size_t end) {
    if (p + 1 < end && source_[p + 1] == source_[p]) {
        decoded(p, p + 2, source_.substr(p, 1));
        return p + 2;
    }
    if (source_[p] == '}') return p + 1;
    const std::size_t close = field_end(source_.substr(0, end), p + 1);
    if (close == source_.npos) return p + 1;
    std::string_view field = source_.substr(p + 1, close - p - 1);
    field = field.substr(0, field.find_first_of("!:="));
    while (!field.empty() && field.back() == ' ') field.remove_suffix(1);
    while (!field.empty() && field.front() == ' ') field.remove_prefix(1);
    const bool path = !field.empty() && std::ranges::all_of(field, [](char c) {
        return is_word_byte(c) || c == '.';
    });
    decoded(p, close + 1, path ? field.substr(field.rfind('.') + 1) : "_");
    return close + 1;
}

// Reads the next literal at or after `at`. If `joined` is set, it must continue the one before:
// only blanks, comments and + lie between them, and newlines only inside brackets. It begins before
// `limit`.
bool next_literal(std::string_view source, python_position& at, python_literal& l, bool joined,
                  std::size_t limit = std::string_view::npos) {
    auto& [p, depth] = at;
    limit = std::min(limit, source.size());
    while (p < limit) {
        const char c = source[p];
        if (c == '#') {
            p = std::min(source.size(), source.find('\n', p));
        } else if (const std::size_t quote = quote_at(source, p); quote != source.npos) {
            l = read_literal(source, p, quote);
            p = l.end;
            return true;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '+' ||
                   (c == '\n' && depth > 0)) {
            ++p;
        } else if (c == '\\' && p + 1 < source.size()) {
            p += source[p + 1] == '\r' ? 3U : 2U;
        } else if (joined) {
            return false;
        } else if (is_word_byte(c)) {
            while (p < source.size() && is_word_byte(source[p])) ++p;
        } else {
            if (c == '(' || c == '[' || c == '{') ++depth;
            if ((c == ')' || c == ']' || c == '}') && depth > 0) --depth;
            ++p;
        }
    }
    p = std::min(p, source.size());
    return false;
}

}  // namespace

std::size_t python_code::at(std::size_t i, bool end) const {
    auto s = std::ranges::upper_bound(segments, i, {}, &segment::decoded);
    --s;
    if (s->end != 0) return end ? s->end : s->begin;
    return s->begin + (i - s->decoded) + (end ? 1 : 0);
}

bool next_python_code(std::string_view source, python_position& position, python_code& out) {
    out.text.clear();
    out.segments.clear();
    python_literal l;
    if (!next_literal(source, position, l, false)) return false;
    decoder d(source, out);
    python_position ahead = position;
    do {
        d.append(l);
        position = ahead;
    } while (next_literal(source, ahead, l, true));
    return true;
}

bool next_python_literal(std::string_view source, python_position& position, python_literal& out,
                         std::size_t limit) {
    return next_literal(source, position, out, false, limit);
}

}  // namespace cuset::syntax
