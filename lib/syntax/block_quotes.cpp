#include "block_quotes.h"

#include <algorithm>

#include "cuset/syntax/lexer.h"
#include "text_lines.h"

namespace cuset::syntax {
namespace {

// The marks at the beginning of a line, each with a blank.
struct quote_marks {
    std::size_t count = 0;
    std::size_t end = 0;
};

quote_marks read_marks(std::string_view line, std::size_t most) {
    quote_marks m;
    std::size_t i = 0;
    while (m.count < most) {
        while (i < line.size() && (line[i] == ' ' || line[i] == '\t')) ++i;
        if (i == line.size() || line[i] != '>') break;
        ++i;
        if (i < line.size() && line[i] == ' ') ++i;
        m.end = i;
        ++m.count;
    }
    return m;
}

// Whether a quote may begin with the line. A line that continues an expression begins none.
bool begins_quote(std::string_view line, const quote_marks& m) {
    if (m.count == 0) return false;
    const std::string_view content = trim(line.substr(m.end));
    return !content.empty() &&
           (is_word_byte(content[0]) ||
            std::string_view("#`~{}/@*-\"'|[!").find(content[0]) != std::string_view::npos);
}

bool mentions_code(std::string_view quote) {
    for (const std::string_view sign : {"__global__", "<<<", "Launch", "```", "~~~"}) {
        if (quote.find(sign) != quote.npos) return true;
    }
    return false;
}

// Whether any line begins with a mark. Most texts have none, and `>` is rarer than lines.
bool has_marks(std::string_view source) {
    for (std::size_t i = 0; (i = source.find('>', i)) != source.npos; ++i) {
        std::size_t begin = i;
        while (begin > 0 && (source[begin - 1] == ' ' || source[begin - 1] == '\t')) --begin;
        if (begin == 0 || source[begin - 1] == '\n') return true;
    }
    return false;
}

}  // namespace

unquoted_text::unquoted_text(std::string_view source) : source_(source) {
    if (!has_marks(source)) return;
    std::size_t copied = 0;
    for (std::size_t begin = 0; begin < source.size();) {
        const std::string_view first = line_at(source, begin);
        const quote_marks marks = read_marks(first, 8);
        std::size_t next = std::min(source.size(), begin + first.size() + 1);
        if (!begins_quote(first, marks)) {
            begin = next;
            continue;
        }
        std::size_t lines = 1, end = next;  // the quote's
        while (next < source.size()) {
            const std::string_view line = line_at(source, next);
            const bool closes_launch = marks.count < 3 && trim(line).starts_with(">>>");
            const bool quoted = read_marks(line, 1).count != 0 && !closes_launch;
            if (!quoted && !trim(line).empty()) break;
            next = std::min(source.size(), next + line.size() + 1);
            if (quoted) {
                ++lines;
                end = next;
            }
        }
        if (lines > 1 && mentions_code(source.substr(begin, end - begin))) {
            while (begin < end) {
                const std::string_view line = line_at(source, begin);
                copy(copied, begin);
                copied = begin + read_marks(line, marks.count).end;
                begin = std::min(source.size(), begin + line.size() + 1);
            }
        }
        begin = next;
    }
    if (!segments_.empty()) copy(copied, source.size());
}

// The source after `to` may be left out.
void unquoted_text::copy(std::size_t from, std::size_t to) {
    segments_.push_back({text_.size(), from});
    text_.append(source_, from, to - from);
}

std::size_t unquoted_text::source_offset(std::size_t i) const {
    if (segments_.empty()) return i;
    const auto after = std::ranges::upper_bound(segments_, i, {}, &segment::text);
    const segment& s = *std::prev(after);
    return s.source + (i - s.text);
}

}  // namespace cuset::syntax
