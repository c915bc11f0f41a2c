#include "regions.h"

#include <algorithm>
#include <string>

#include "lexer.h"
#include "python_strings.h"

namespace cuset::syntax {
namespace {

bool is_one_of(std::string_view w, std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, w) != words.end();
}

std::string_view trim(std::string_view s) {
    constexpr std::string_view blanks = " \t\r\n\f\v";
    const std::size_t first = s.find_first_not_of(blanks);
    if (first == s.npos) return {};
    return s.substr(first, s.find_last_not_of(blanks) - first + 1);
}

std::string_view line_at(std::string_view text, std::size_t begin) {
    return text.substr(begin, text.find('\n', begin) - begin);
}

struct fence_line {
    char mark = 0;  // 0: no fence
    std::size_t length = 0;
    std::size_t column = 0;  // of the first mark, tabs being four wide
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

// The line after a list marker, if it has one: "- ```cuda", "1. ```cuda".
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

// A line's evidence for a language.
enum class evidence : unsigned char { none, cpp, python };

bool is_identifier(std::string_view s) {
    return !s.empty() && !(s[0] >= '0' && s[0] <= '9') && std::ranges::all_of(s, is_word_byte);
}

bool is_python_import(std::string_view line) {
    if (line.starts_with("from ")) {
        const std::size_t import = line.find(" import ");
        return import != line.npos && line.substr(5, import - 5).find(' ') == line.npos;
    }
    if (!line.starts_with("import ") || line.ends_with(";")) return false;
    line = line.substr(7, line.find_first_of(" ,#", 7) - 7);
    return !line.empty() &&
           std::ranges::all_of(line, [](char c) { return is_word_byte(c) || c == '.'; });
}

bool is_python_line(std::string_view line) {
    if (is_python_import(line)) return true;
    if (is_one_of(line.substr(0, 3), {"\"\"\"", "'''"})) return true;
    if (line.ends_with(":") &&
        (line.starts_with("def ") || line.starts_with("class ") || line.starts_with("async def ") ||
         line.starts_with("if __name__") || line.starts_with("with ") || line.starts_with("for ") ||
         line.starts_with("try:"))) {
        return true;
    }
    if (line.starts_with("def ") && line.ends_with("(")) return true;
    if (line[0] == '@') return is_word_byte(line.size() > 1 ? line[1] : ' ');
    if (line.ends_with(";")) return false;
    const std::size_t equals = line.find('=');  // name = …, name: type = …
    return equals != line.npos && equals > 0 &&
           is_identifier(trim(line.substr(0, std::min(equals, line.find(':')))));
}

// `prose`: the line may as well be a sentence, so how it ends says nothing.
bool is_cpp_line(std::string_view line, bool prose) {
    if (line.starts_with("//") || line.starts_with("/*")) return true;
    if (line[0] == '#') {
        std::string name;
        const std::string_view word_part = trim(line.substr(1));
        const std::size_t end =
            std::min(word_part.size(), word_part.find_first_not_of("abcdefghijklmnopqrstuvwxyz"));
        // "# if we …" is a Python comment: a directive's # has its word at once.
        return line.size() > 1 && line[1] != ' ' &&
               is_one_of(word_part.substr(0, end), {"include", "define", "pragma", "if", "ifdef",
                                                    "ifndef", "undef", "error"});
    }
    if (line.starts_with("__global__") || line.starts_with("__device__") ||
        line.starts_with("template") || line.starts_with("extern \"C\"") ||
        line.starts_with("typedef ") || line.starts_with("namespace ")) {
        return line.find_first_of("<;{(\"") != line.npos || line.find(' ') == line.npos;
    }
    for (const std::string_view start : {"const ", "constexpr ", "static ", "inline ", "auto ",
                                         "struct ", "class ", "void ", "int ", "using "}) {
        if (line.starts_with(start) && line.find_first_of("=({*") != line.npos) return true;
    }
    return !prose && (line.ends_with(";") || line.ends_with("{") || line.ends_with("}"));
}

// The language by the first lines that say one; up to sixteen that say nothing are passed over.
evidence first_evidence(std::string_view text, std::size_t most_lines, bool prose = false) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    for (std::size_t begin = 0; begin < text.size() && most_lines > 0;) {
        const std::string_view whole = line_at(text, begin);
        begin += whole.size() + 1;
        const std::string_view line = trim(whole);
        if (line.empty()) continue;
        if (line.starts_with("%%")) {  // a notebook cell in another language
            if (line.starts_with("%%cu") || line.find(".cu") != line.npos) return evidence::cpp;
            continue;
        }
        if (is_python_line(line)) return evidence::python;
        if (is_cpp_line(line, prose)) return evidence::cpp;
        const bool comment = line[0] == '#';
        if (!comment) --most_lines;
    }
    return evidence::none;
}

host_language language_of_fence(std::string_view content, std::string_view info) {
    std::string name;
    for (const char c : info.substr(std::min(info.size(), info.find_first_not_of("{. ")))) {
        if (c == ' ' || c == '\t' || c == ',' || c == ':' || c == '{' || c == '}' || c == '=')
            break;
        name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    const evidence seen = first_evidence(content, 16);
    if (is_one_of(name, {"python", "py", "python3", "py3", "ipython", "ipython3", "pycon", "numba",
                         "triton"})) {
        return seen == evidence::cpp ? host_language::cpp : host_language::python;
    }
    if (is_one_of(name, {"bash",
                         "sh",
                         "shell",
                         "zsh",
                         "fish",
                         "console",
                         "shell-session",
                         "shellsession",
                         "terminal",
                         "powershell",
                         "ps1",
                         "bat",
                         "cmd",
                         "json",
                         "jsonl",
                         "yaml",
                         "yml",
                         "toml",
                         "ini",
                         "xml",
                         "html",
                         "css",
                         "make",
                         "makefile",
                         "cmake",
                         "dockerfile",
                         "output",
                         "latex",
                         "tex",
                         "math",
                         "mermaid",
                         "dot",
                         "csv",
                         "tsv",
                         "sql",
                         "rust",
                         "rs",
                         "go",
                         "java",
                         "kotlin",
                         "swift",
                         "javascript",
                         "js",
                         "typescript",
                         "ts",
                         "ruby",
                         "perl",
                         "lua",
                         "julia",
                         "jl",
                         "r",
                         "matlab",
                         "fortran",
                         "f90",
                         "haskell",
                         "ocaml",
                         "scala",
                         "wgsl",
                         "glsl",
                         "hlsl",
                         "ptx",
                         "sass",
                         "asm",
                         "nasm",
                         "llvm",
                         "mlir",
                         "log"})) {
        return content.find("__global__") == content.npos ? host_language::none
                                                          : host_language::cpp;
    }
    return seen == evidence::python ? host_language::python : host_language::cpp;
}

void add_fences(std::string_view text, std::size_t from, std::size_t to, std::size_t depth,
                std::vector<region>& out) {
    constexpr std::size_t deepest = 4;
    for (const fence& f : find_fences(text.substr(0, to), from)) {
        const std::string_view content = text.substr(f.begin, f.end - f.begin);
        const bool markdown = is_one_of(f.info, {"markdown", "md", "Markdown"});
        if (markdown && depth < deepest) {
            add_fences(text, f.begin, f.end, depth + 1, out);
        } else if (const host_language l = language_of_fence(content, f.info);
                   l != host_language::none) {
            out.push_back({f.begin, f.end, l});
        }
    }
}

}  // namespace

std::vector<fence> find_fences(std::string_view text, std::size_t from) {
    std::vector<fence> out;
    if (text.find("```", from) == text.npos && text.find("~~~", from) == text.npos) return out;
    fence_line open;
    for (std::size_t begin = from; begin < text.size();) {
        const std::string_view line = line_at(text, begin);
        const std::size_t next = std::min(text.size(), begin + line.size() + 1);
        fence_line f = read_fence_line(line);
        if (open.mark == 0) {
            if (f.mark == 0) {
                std::size_t column = 0;
                f = read_fence_line(skip_list_marker(line, column));
                f.column += column;
            }
            if (f.mark != 0) {
                open = f;
                out.push_back({begin, next, text.size(), text.size(), f.rest});
            }
        } else if (f.mark == open.mark && f.length >= open.length && f.rest.empty() &&
                   f.column <= open.column + 3) {
            out.back().end = begin;
            out.back().after = next;
            open.mark = 0;
        }
        begin = next;
    }
    return out;
}

std::vector<region> find_regions(std::string_view text, source_language lang) {
    std::vector<region> out;
    switch (lang) {
        case source_language::cuda:
        case source_language::hip: return {{0, text.size(), host_language::cpp}};
        case source_language::python: return {{0, text.size(), host_language::python}};
        case source_language::markdown: add_fences(text, 0, text.size(), 0, out); return out;
        case source_language::automatic: break;
    }
    const std::vector<fence> fences = find_fences(text);
    const auto language = [](evidence e) {
        return e == evidence::python ? host_language::python : host_language::cpp;
    };
    if (fences.empty()) {
        return {{0, text.size(), language(first_evidence(text, 16))}};
    }
    const std::size_t line = fences.front().line;
    const std::string_view before = text.substr(0, line);
    std::size_t from = 0;
    if (const evidence seen = first_evidence(before, 1, true); seen != evidence::none) {
        bool inside = false;
        if (seen == evidence::python) {
            inside = python_ends_in_string(before);
        } else {
            token_stream code;
            lex(before, code);
            inside = code.ends_inside;
        }
        if (inside) return {{0, text.size(), language(seen)}};
        if (fences.front().info.empty()) {
            out.push_back({0, line, language(seen)});
            from = fences.front().begin;
        }
    }
    add_fences(text, from, text.size(), 0, out);
    return out;
}

}  // namespace cuset::syntax
