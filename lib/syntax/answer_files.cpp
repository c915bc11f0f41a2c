#include "cuset/syntax/answer_files.h"

#include <algorithm>
#include <cctype>

#include "cuset/syntax/program_text.h"
#include "fences.h"
#include "text_lines.h"

namespace cuset {

namespace {

using namespace syntax;

/// Whether the text begins with the word in letters of any case.
bool begins_with(std::string_view text, std::string_view lower) {
    return text.size() >= lower.size() &&
           std::equal(lower.begin(), lower.end(), text.begin(), [](char a, char b) {
               return a == std::tolower(static_cast<unsigned char>(b));
           });
}

/// The one word of a text, without quotes; empty if there are several.
std::string path_in(std::string_view text) {
    constexpr std::string_view quotes = "\"'`";
    text = trim(text);
    if (text.size() >= 2 && quotes.find(text.front()) != quotes.npos && text.back() == text.front())
        text = text.substr(1, text.size() - 2);
    if (text.empty() || text.find_first_of(" \t\"'`") != text.npos) return {};
    return std::string(text);
}

/// Takes "a.cu" from "// file: a.cu", "# file: a.cu", "; file: a.cu" and "/* file: a.cu */".
std::string path_in_comment(std::string_view line) {
    line = trim(line);
    for (const std::string_view opening : {"//", "#", ";", "/*"}) {
        if (!line.starts_with(opening)) continue;
        std::string_view rest = trim(line.substr(opening.size()));
        if (!begins_with(rest, "file:")) continue;
        rest.remove_prefix(5);
        if (opening == "/*") {
            rest = trim(rest);
            if (!rest.ends_with("*/")) return {};
            rest.remove_suffix(2);
        }
        return path_in(rest);
    }
    return {};
}

bool is_source_name(std::string_view path) {
    const std::string_view endings[] = {".cu", ".cuh", ".h",   ".hpp", ".hh",
                                        ".c",  ".cc",  ".cpp", ".cxx", ".inl"};
    return std::any_of(std::begin(endings), std::end(endings), [&](std::string_view ending) {
        return path.size() > ending.size() && path.ends_with(ending);
    });
}

std::string path_in_info(std::string_view info) {
    const std::size_t blank = info.find_first_of(" \t");
    const std::string_view language = info.substr(0, blank);
    if (const std::size_t colon = language.find(':'); colon != language.npos)
        return path_in(language.substr(colon + 1));
    if (blank == info.npos) return {};
    std::string_view rest = trim(info.substr(blank));
    bool is_named = false;
    for (const std::string_view key : {"file=", "filename=", "path=", "title="})
        if (begins_with(rest, key)) {
            rest.remove_prefix(key.size());
            is_named = true;
            break;
        }
    const std::string path = path_in(rest);
    return is_named || is_source_name(path) ? path : std::string();
}

/// The path on the last line of the text before a block.
std::string path_before(std::string_view text) {
    constexpr std::string_view marks = "*#_`:- \t\r>";
    const std::size_t end = text.find_last_not_of(" \t\r\n");
    if (end == text.npos) return {};
    text = text.substr(0, end + 1);
    const std::size_t before = text.rfind('\n');
    std::string_view line = before == text.npos ? text : text.substr(before + 1);
    const auto strip = [&] {
        const std::size_t first = line.find_first_not_of(marks);
        if (first == line.npos) return line = {}, void();
        line = line.substr(first, line.find_last_not_of(marks) - first + 1);
    };
    strip();
    for (const std::string_view word : {"file:", "filename:"})
        if (begins_with(line, word)) {
            line.remove_prefix(word.size());
            strip();
        }
    const std::string path = path_in(line);
    return is_source_name(path) ? path : std::string();
}

}  // namespace

std::vector<answer_file> find_answer_files(std::string_view answer) {
    answer.remove_prefix(end_of_reasoning(answer));
    std::vector<answer_file> found;
    std::size_t after = 0;  // the block before
    for (const fence& f : find_fences(answer)) {
        std::string content(answer.substr(f.begin, f.end - f.begin));
        const std::string_view first = line_at(content, 0);
        // The fence's own line ends before its content.
        const std::size_t opening =
            f.begin == 0 ? 0 : answer.substr(0, f.begin - 1).rfind('\n') + 1;  // npos + 1 is 0
        std::string path = path_in_comment(first);
        if (!path.empty()) {
            content.erase(0, first.size());
        } else {
            path = path_in_info(f.info);
        }
        if (path.empty() && opening > after)
            path = path_before(answer.substr(after, opening - after));
        if (!path.empty()) found.push_back({std::move(path), std::move(content)});
        after = std::min(answer.size(), answer.find('\n', f.end));
    }
    return found;
}

}  // namespace cuset
