#include "enclosures.h"

#include <algorithm>
#include <string>

#include "cuset/syntax/lexer.h"
#include "directives.h"
#include "text_lines.h"

namespace cuset::syntax {
namespace {

constexpr std::size_t most_unclosed = 16;

// `p` is at the # of a line. Returns the position after the line that ends the branch of an `#if
// 0`, `end` if no line does, or `p` if no such branch begins here.
const char* end_of_dead_branch(const char* p, const char* end) {
    std::string name, condition;
    const char* q = read_directive_rest(read_directive_name(p + 1, end, name), end, condition);
    if (name != "if" || (condition != "0" && condition != "false")) return p;
    for (std::size_t depth = 0; q < end;) {
        ++q;  // the newline
        const char* line = q;
        while (line < end && (*line == ' ' || *line == '\t')) ++line;
        name.clear();
        if (line < end && *line == '#') {
            read_directive_name(line + 1, end, name);
            if (name.starts_with("if")) ++depth;
            const bool ends = name == "endif" || name.starts_with("el");
            if (ends && depth == 0) return line;
            if (name == "endif") --depth;
        }
        while (q < end && *q != '\n') ++q;
    }
    return end;
}

}  // namespace

// The last non-blank byte before `at` on its line; a newline if there is none.
char enclosure_reader::byte_before(std::size_t at) const {
    while (at > 0 && (text_[at - 1] == ' ' || text_[at - 1] == '\t')) --at;
    if (at == 3 && text_.starts_with("\xEF\xBB\xBF")) return '\n';
    return at == 0 ? '\n' : text_[at - 1];
}

bool enclosure_reader::can_hold_string(std::size_t begin) const {
    const char before = byte_before(begin);
    if (!is_word_byte(before)) {
        return std::string_view("`.'\"*").find(before) == std::string_view::npos;
    }
    return trim(text_.substr(0, begin)).ends_with("return");
}

// Whether [begin, end) is to be believed as an enclosure.
bool enclosure_reader::take(std::size_t begin, std::size_t end, bool closed) {
    if (!closed && !is_code_) {
        if (end == text_.size()) ++unclosed_;
        return false;
    }
    if (text_.substr(begin, end - begin).find('\n') == std::string_view::npos) return false;
    last_ = {begin, end};
    return true;
}

bool enclosure_reader::next_cpp(std::size_t limit) {
    const char* const base = text_.data();
    const char* const end = base + text_.size();
    limit = std::min(limit, text_.size());
    for (std::size_t& p = position_.offset; p < limit;) {
        const std::size_t begin = p;
        const char c = text_[begin];
        const auto offset = [&](const char* q) { return static_cast<std::size_t>(q - base); };
        if (c == '/') {
            const bool block = text_.substr(begin + 1).starts_with('*');
            const char before = byte_before(begin);
            const bool believed =
                is_code_ || before == '\n' ||
                (block && std::string_view(";{})/").find(before) != std::string_view::npos);
            if (block && (!believed || unclosed_ > most_unclosed)) {
                ++p;
                continue;
            }
            if (text_.substr(begin + 1).starts_with('/') && !believed) {  // https://…
                p = std::min(text_.size(), text_.find('\n', begin));
                continue;
            }
            const std::size_t after = offset(end_of_comment(base + begin, end));
            p = std::max(after, begin + 1);
            const bool closed =
                !block || (after - begin >= 4 && text_.substr(after - 2, 2) == "*/");
            if (take(begin, after, closed)) return true;
            if (!closed) p = begin + 1;
        } else if (c == '"') {
            std::size_t prefix = begin;
            while (prefix > 0 && begin - prefix < 4 && is_word_byte(text_[prefix - 1])) --prefix;
            const std::string_view w = text_.substr(prefix, begin - prefix);
            const bool raw = w == "R" || w == "u8R" || w == "uR" || w == "UR" || w == "LR";
            if (!is_code_ &&
                (!can_hold_string(raw ? prefix : begin) || (raw && unclosed_ > most_unclosed))) {
                ++p;
                continue;
            }
            p = offset(raw ? end_of_raw_string(base + begin, end)
                           : end_of_quoted(base + begin, end));
            if (take(begin, p, p - begin > 1 && text_[p - 1] == '"')) return true;
            if (p == text_.size() && !is_code_) p = begin + 1;
        } else if (c == '\'' && (begin == 0 || !is_word_byte(text_[begin - 1]))) {
            p = offset(end_of_quoted(base + begin, end));
        } else if (c == '#' && byte_before(begin) == '\n' && unclosed_ <= most_unclosed) {
            const std::size_t after = offset(end_of_dead_branch(base + begin, end));
            ++p;
            if (after == begin) continue;
            const bool closed = after < text_.size();
            if (closed || is_code_) p = after;
            if (take(begin, after, closed)) return true;
        } else {
            ++p;
        }
    }
    return false;
}

bool enclosure_reader::next_python(std::size_t limit) {
    python_literal l;
    while (unclosed_ <= most_unclosed && next_python_literal(text_, position_, l, limit)) {
        // Prose about quotes continues like (""") or like `"""`.
        const char first = l.content < text_.size() ? text_[l.content] : '\n';
        const bool spoken_of = std::string_view("),.`").find(first) != std::string_view::npos;
        const bool believed = is_code_ || (!spoken_of && can_hold_string(l.begin));
        if (believed && take(l.begin, l.end, l.closed)) return true;
        if (l.triple && (!believed || !l.closed)) position_.offset = l.content;
    }
    return false;
}

std::optional<enclosure> enclosure_reader::around(std::size_t offset) {
    // What begins behind the offset is not read: most texts are never asked about their rest.
    while (!last_ || last_->end <= offset) {
        if (!(language_ == host_language::python ? next_python(offset) : next_cpp(offset)))
            return std::nullopt;
    }
    return last_;
}

}  // namespace cuset::syntax
