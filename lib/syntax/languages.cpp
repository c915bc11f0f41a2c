#include "languages.h"

#include <algorithm>
#include <string>

#include "cuset/syntax/lexer.h"
#include "text_lines.h"

namespace cuset::syntax {
namespace {

// Info strings of fences that hold no C++ unless it has a kernel.
constexpr std::string_view other_languages[] = {
    "bash",         "sh",         "shell",      "zsh",     "fish",       "console", "shell-session",
    "shellsession", "terminal",   "powershell", "ps1",     "bat",        "cmd",     "json",
    "jsonl",        "yaml",       "yml",        "toml",    "ini",        "xml",     "html",
    "css",          "make",       "makefile",   "cmake",   "dockerfile", "output",  "latex",
    "tex",          "math",       "mermaid",    "dot",     "csv",        "tsv",     "sql",
    "rust",         "rs",         "go",         "java",    "kotlin",     "swift",   "javascript",
    "js",           "typescript", "ts",         "ruby",    "perl",       "lua",     "julia",
    "jl",           "r",          "matlab",     "fortran", "f90",        "haskell", "ocaml",
    "scala",        "wgsl",       "glsl",       "hlsl",    "ptx",        "sass",    "asm",
    "nasm",         "llvm",       "mlir",       "log"};

bool is_cpp_keyword(std::string_view w) {
    return is_one_of(
        w, {"alignas",   "and",    "asm",     "auto",      "bool",     "break",    "case",
            "char",      "class",  "const",   "constexpr", "continue", "delete",   "do",
            "double",    "else",   "enum",    "explicit",  "extern",   "float",    "for",
            "friend",    "goto",   "if",      "inline",    "int",      "long",     "mutable",
            "namespace", "new",    "not",     "operator",  "or",       "return",   "short",
            "signed",    "static", "struct",  "template",  "typedef",  "typename", "union",
            "unsigned",  "using",  "virtual", "void",      "volatile", "while"});
}

bool is_python_keyword(std::string_view w) {
    return is_one_of(w, {"and",  "as",  "assert", "async", "await",  "class", "def", "elif",
                         "else", "for", "from",   "if",    "import", "in",    "is",  "lambda",
                         "not",  "or",  "return", "while", "with",   "yield"});
}

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

// Whether the line has a run of at least `most` words with only blanks between them, which no
// statement has. Text in quotes, keywords and words that look like identifiers do not count.
template <class IsKeyword>
bool reads_as_prose(std::string_view line, std::size_t most, IsKeyword is_keyword) {
    const auto is_small = [](char c) {
        return (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 128;
    };
    std::size_t run = 0;
    for (std::size_t i = 0; i < line.size();) {
        const char c = line[i];
        if (c == '`') return true;
        if (is_word_byte(c)) {
            std::size_t end = i;
            while (end < line.size() && is_word_byte(line[end])) ++end;
            const std::string_view w = line.substr(i, end - i);
            const bool plain = (is_small(w[0]) || (w[0] >= 'A' && w[0] <= 'Z')) &&
                               std::ranges::all_of(w.substr(1), is_small);
            run = plain && !is_keyword(w) ? run + 1 : 0;
            if (run >= most) return true;
            if (end < line.size() && line[end] == '\'') ++end;  // don't
            i = end;
        } else if (c == '"' || c == '\'') {
            i = std::min(line.find(c, i + 1), line.size() - 1) + 1;
            run = 0;
        } else {
            if (run >= 2 && line.substr(i).starts_with("<<<")) return true;
            if (c != ' ' && c != '\t') run = 0;
            ++i;
        }
    }
    return false;
}

// The byte after the identifier at `from`, or 0 at the end of the line; a blank if there is none.
char byte_after_name(std::string_view line, std::size_t from) {
    std::size_t end = from;
    while (end < line.size() && is_word_byte(line[end])) ++end;
    if (end == from) return ' ';
    return end < line.size() ? line[end] : '\0';
}

bool is_python_assignment(std::string_view line) {  // name = …, name: type = …, a.b[…] = …
    const std::size_t equals = line.find('=');
    if (equals == line.npos || line.substr(equals).starts_with("==")) return false;
    std::string_view target = trim(line.substr(0, std::min(equals, line.find(':'))));
    target = target.substr(0, target.find('['));
    return !target.empty() && !(target[0] >= '0' && target[0] <= '9') &&
           std::ranges::all_of(target, [](char c) { return is_word_byte(c) || c == '.'; });
}

bool is_python_line(std::string_view line) {
    if (is_python_import(line)) return true;
    if (is_one_of(line.substr(0, 3), {"\"\"\"", "'''"})) return true;
    if (line.starts_with("def ")) return byte_after_name(line, 4) == '(';
    if (line.starts_with("async def ")) return byte_after_name(line, 10) == '(';
    if (line[0] == '@') {
        const char after = byte_after_name(line, 1);
        return after == '\0' || after == '(' || after == '.';
    }
    if (line.ends_with(";") || line.ends_with("{")) return false;
    if (reads_as_prose(line.substr(0, line.find('#')), 2, is_python_keyword)) return false;
    if (line.ends_with(":")) {
        if (line.starts_with("class ")) {
            const char after = byte_after_name(line, 6);
            return after == ':' || after == '(';
        }
        return line.starts_with("if ") || line.starts_with("with ") || line.starts_with("try:") ||
               (line.starts_with("for ") && line.find(" in ") != line.npos);
    }
    return line.starts_with("print(") || line.starts_with("assert ") || is_python_assignment(line);
}

bool is_directive(std::string_view line) {
    const std::string_view words = trim(line.substr(1));
    const std::size_t end =
        std::min(words.size(), words.find_first_not_of("abcdefghijklmnopqrstuvwxyz"));
    // "# if we …" is a Python comment: a directive has its word directly after the #.
    return line.size() > 1 && line[1] != ' ' &&
           is_one_of(words.substr(0, end),
                     {"include", "define", "pragma", "if", "ifdef", "ifndef", "undef", "error"});
}

bool is_cpp_line(std::string_view line, bool prose) {
    if (line.starts_with("//") || line.starts_with("/*") || line.starts_with("[[")) return true;
    if (line[0] == '#') return is_directive(line);
    for (const std::string_view start :
         {"__global__", "__device__", "__host__", "__constant__", "__shared__", "__managed__",
          "template", "extern \"C\"", "typedef ", "namespace "}) {
        if (line.starts_with(start) &&
            (line.find_first_of("<;{(\"") != line.npos || line.find(' ') == line.npos)) {
            return true;
        }
    }
    for (const std::string_view start : {"const ", "constexpr ", "static ", "inline ", "auto ",
                                         "struct ", "class ", "void ", "int ", "using "}) {
        if (line.starts_with(start) && line.find_first_of("=({*") != line.npos) return true;
    }
    // The brace is on the next line.
    for (const std::string_view start : {"namespace ", "struct ", "union ", "enum "}) {
        if (line.starts_with(start) && is_identifier(line.substr(start.size()))) return true;
    }
    if (prose && reads_as_prose(line, 3, is_cpp_keyword)) return false;
    line = trim(line.substr(0, line.find("//")));
    return line.ends_with(";") || line.ends_with("{") || line.ends_with("}") ||
           (line.ends_with(")") && byte_after_name(line, 0) == '(');
}

}  // namespace

host_language language_of_lines(std::string_view text, std::size_t most_lines, bool prose) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    for (std::size_t begin = 0; begin < text.size() && most_lines > 0;) {
        const std::string_view whole = line_at(text, begin);
        begin += whole.size() + 1;
        const std::string_view line = trim(whole);
        if (line.empty()) continue;
        if (line.starts_with("%%")) {  // a notebook cell in another language
            if (line.starts_with("%%cu") || line.find(".cu") != line.npos)
                return host_language::cpp;
            continue;
        }
        if (is_python_line(line)) return host_language::python;
        if (is_cpp_line(line, prose)) return host_language::cpp;
        const bool comment = line[0] == '#';
        if (!comment) --most_lines;
    }
    return host_language::none;
}

host_language language_of_fence(std::string_view content, std::string_view info) {
    std::string name;
    for (const char c : info.substr(std::min(info.size(), info.find_first_not_of("{. ")))) {
        if (c == ' ' || c == '\t' || c == ',' || c == ':' || c == '{' || c == '}' || c == '=')
            break;
        name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    const host_language seen = language_of_lines(content, 16);
    if (is_one_of(name, {"python", "py", "python3", "py3", "ipython", "ipython3", "pycon", "numba",
                         "triton"})) {
        return seen == host_language::cpp ? host_language::cpp : host_language::python;
    }
    if (is_one_of(name, other_languages)) {
        return content.find("__global__") == content.npos ? host_language::none
                                                          : host_language::cpp;
    }
    return seen == host_language::python ? host_language::python : host_language::cpp;
}

}  // namespace cuset::syntax
