#include "fences.h"

#include <algorithm>

#include "text_lines.h"

namespace cuset::syntax {
namespace {

struct fence_line {
    char mark = 0;  // 0: no fence
    std::size_t length = 0;
    std::size_t column = 0;  // of the first mark; a tab is four wide
    std::string_view rest;
};

fence_line read_fence_line(std::string_view line) {
    fence_line f;
    std::size_t i = 0;
    for (; i < line.size() && (line[i] == ' ' || line[i] == '\t'); ++i) {
        f.column += line[i] == '\t' ? 4 - f.column % 4 : 1;
    }
    if (i >= line.size() || (line[i] != '`' && line[i] != '~')) return f;
    const char mark = line[i];
    std::size_t end = i;
    while (end < line.size() && line[end] == mark) ++end;
    if (end - i < 3) return f;
    f.rest = trim(line.substr(end));
    if (mark == '`' && f.rest.find('`') != f.rest.npos) return f;  // inline code
    f.length = end - i;
    f.mark = mark;
    return f;
}

// The line after its list marker, if it has one: "- ```cuda", "1. ```cuda".
std::string_view skip_list_marker(std::string_view line, std::size_t& column) {
    std::size_t i = line.find_first_not_of(" \t");
    if (i == line.npos) return line;
    std::size_t end = i;
    if (line[i] == '-' || line[i] == '*' || line[i] == '+') {
        end = i + 1;
    } else {
        while (end < line.size() && line[end] >= '0' && line[end] <= '9') ++end;
        if (end == i || end == line.size() || (line[end] != '.' && line[end] != ')')) return line;
        ++end;
    }
    if (end >= line.size() || (line[end] != ' ' && line[end] != '\t')) return line;
    column = end;
    return line.substr(end);
}

fence_line read_opening_line(std::string_view line) {
    fence_line f = read_fence_line(line);
    if (f.mark == 0) {
        std::size_t column = 0;
        f = read_fence_line(skip_list_marker(line, column));
        f.column += column;
    }
    return f;
}

}  // namespace

std::size_t find_fence_line(std::string_view text, std::size_t from) {
    while (from < text.size()) {
        const std::string_view line = line_at(text, from);
        if (read_opening_line(line).mark != 0) return from;
        from += line.size() + 1;
    }
    return text.npos;
}

std::vector<fence> find_fences(std::string_view text, std::size_t from) {
    std::vector<fence> out;
    fence_line open;
    for (std::size_t begin = from; begin < text.size();) {
        const std::string_view line = line_at(text, begin);
        const std::size_t next = std::min(text.size(), begin + line.size() + 1);
        const fence_line f = open.mark == 0 ? read_opening_line(line) : read_fence_line(line);
        if (open.mark == 0) {
            open = f;
            if (f.mark != 0) out.push_back({next, text.size(), f.rest});
        } else if (f.mark == open.mark && f.length >= open.length && f.rest.empty() &&
                   f.column <= open.column + 3) {
            out.back().end = begin;
            open.mark = 0;
        }
        begin = next;
    }
    return out;
}

}  // namespace cuset::syntax
