#include "regions.h"

#include <algorithm>

#include "enclosures.h"
#include "fences.h"
#include "text_lines.h"

namespace cuset::syntax {
namespace {

void add_fences(std::string_view text, std::size_t from, std::size_t to, std::size_t depth,
                std::vector<region>& out) {
    constexpr std::size_t deepest = 4;
    for (const fence& f : find_fences(text.substr(0, to), from)) {
        const std::string_view content = text.substr(f.begin, f.end - f.begin);
        const bool markdown = f.info == "markdown" || f.info == "md" || f.info == "Markdown";
        if (markdown && depth < deepest) {
            add_fences(text, f.begin, f.end, depth + 1, out);
        } else if (const host_language l = language_of_fence(content, f.info);
                   l != host_language::none) {
            out.push_back({f.begin, f.end, l, f.end < to});
        }
    }
}

region whole(std::string_view text, host_language language) {
    return {0, text.size(), language, true, true};
}

}  // namespace

std::vector<region> find_regions(std::string_view text, source_language lang) {
    std::vector<region> out;
    switch (lang) {
        case source_language::cuda:
        case source_language::hip: return {whole(text, host_language::cpp)};
        case source_language::python: return {whole(text, host_language::python)};
        case source_language::markdown: add_fences(text, 0, text.size(), 0, out); return out;
        case source_language::automatic: break;
    }
    const bool marks = text.find("```") != text.npos || text.find("~~~") != text.npos;
    std::size_t line = marks ? find_fence_line(text, 0) : text.npos;
    if (line == text.npos) {
        const bool python = language_of_lines(text, 16) == host_language::python;
        return {whole(text, python ? host_language::python : host_language::cpp)};
    }
    host_language before = language_of_lines(text.substr(0, line), 1, true);
    // If two readings are possible, the right one is that whose comment or string begins first,
    // since it contains the other's. The text then has that language.
    enclosure_reader cpp(text, host_language::cpp, before == host_language::cpp);
    enclosure_reader python(text, host_language::python, before == host_language::python);
    bool read_cpp = true, read_python = true;
    while (line != text.npos) {
        const auto in_cpp = read_cpp ? cpp.around(line) : std::nullopt;
        const auto in_python = read_python ? python.around(line) : std::nullopt;
        if (!in_cpp && !in_python) break;
        read_cpp = in_cpp && !(in_python && in_python->begin < in_cpp->begin);
        read_python = !read_cpp;
        before = read_cpp ? host_language::cpp : host_language::python;
        const std::size_t end = read_cpp ? in_cpp->end : in_python->end;
        const std::size_t next = std::min(text.size(), text.find('\n', end - 1));
        line = find_fence_line(text, std::min(text.size(), next + 1));
    }
    if (line == text.npos) return {whole(text, before)};
    const std::string_view opening = line_at(text, line);
    const bool bare = trim(opening).find_first_not_of(trim(opening)[0]) == opening.npos;
    if (before != host_language::none && bare) {
        out.push_back({0, line, before});
        line = std::min(text.size(), line + opening.size() + 1);
    }
    add_fences(text, line, text.size(), 0, out);
    return out;
}

}  // namespace cuset::syntax
