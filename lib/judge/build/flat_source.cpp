#include "build/flat_source.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "cuset/syntax/lexer.h"

namespace cuset {

namespace {

using namespace syntax;

constexpr std::size_t most_bytes = std::size_t{16} << 20, deepest = 64;

std::string_view argument_of(const token_stream& code, const directive& d) {
    std::string_view text = code.text.substr(d.argument, d.end - d.argument);
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    return text;
}

bool opens(pp_keyword k) {
    return k == pp_keyword::if_ || k == pp_keyword::ifdef || k == pp_keyword::ifndef;
}

/// Whether a classical guard is around all of a header.
bool is_guarded(const token_stream& code) {
    const auto& all = code.directives;
    if (all.size() < 2 || all.front().keyword != pp_keyword::ifndef ||
        all.back().keyword != pp_keyword::endif)
        return false;
    std::size_t depth = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (opens(all[i].keyword)) ++depth;
        if (all[i].keyword == pp_keyword::endif && depth > 0) --depth;
        if (depth == 0 && i + 1 < all.size()) return false;
    }
    const bool is_first = code.tokens.empty() || code.tokens.front().begin >= all.front().begin;
    const bool is_last = code.tokens.empty() || code.tokens.back().begin <= all.back().end;
    return is_first && is_last;
}

bool is_once(const token_stream& code, const directive& d) {
    const std::string_view line = code.text.substr(d.begin, d.end - d.begin);
    return d.keyword == pp_keyword::other && line.find("pragma") != line.npos &&
           argument_of(code, d).starts_with("once");
}

/// Whether a preprocessor line goes on at this place, or begins there.
bool is_in_directive(std::string_view text, std::size_t at) {
    std::size_t begin = text.rfind('\n', at);
    const auto goes_on = [&](std::size_t newline) {
        const bool has_return = newline > 0 && text[newline - 1] == '\r';
        const std::size_t last = newline - (has_return ? 1 : 0);
        return last > 0 && text[last - 1] == '\\';
    };
    while (begin != text.npos && begin > 0 && goes_on(begin)) begin = text.rfind('\n', begin - 1);
    const std::size_t first = text.find_first_not_of(" \t", begin == text.npos ? 0 : begin + 1);
    return first != text.npos && text[first] == '#';
}

/// The file with the numbers of its lines for __LINE__, since it will stand on others. In a macro,
/// __LINE__ is the line of the macro's use, and stays; so it does behind a #line.
std::string with_line_numbers(const std::string& content) {
    if (content.find("__LINE__") == content.npos || content.find("#line") != content.npos)
        return content;
    token_stream code;
    lex(content, code);
    std::string text;
    std::size_t from = 0, counted = 0;
    std::ptrdiff_t line = 1;  // of the place `counted`
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        const token& word = code.tokens[i];
        if (!code.is_word(i, "__LINE__") || is_in_directive(code.text, word.begin)) continue;
        text += code.text.substr(from, word.begin - from);
        line += std::ranges::count(code.text.substr(counted, word.begin - counted), '\n');
        counted = word.begin;
        text += std::to_string(line);
        from = word.end;
    }
    return text += code.text.substr(from);
}

class flattener {
public:
    flattener(const std::vector<task_file>& files, const std::vector<std::string>& folders,
              std::size_t before, line_origins& origins)
        : files_(files), folders_(folders), origins_(origins) {
        out_.text.assign(before, '\n');
        out_.lines = before + 1;
    }
    status add(const task_file& file, bool is_certain, std::size_t depth);
    flat_source take() { return std::move(out_); }

private:
    void append(std::string_view text, const task_file& file, std::size_t line);
    void append_own(std::string_view text);

    const std::vector<task_file>& files_;
    const std::vector<std::string>& folders_;
    line_origins& origins_;
    flat_source out_;
    std::set<std::string> once_;  // guarded headers whose content is surely there
};

void flattener::append(std::string_view text, const task_file& file, std::size_t line) {
    origins_.add(out_.lines, file.path, line);
    append_own(text);
}

void flattener::append_own(std::string_view text) {
    out_.text += text;
    out_.lines += static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// `is_certain`: no conditional decides whether the file is included.
status flattener::add(const task_file& file, bool is_certain, std::size_t depth) {
    if (depth > deepest) return data_error("#includes nested more than 64 deep");
    if (out_.text.size() + file.content.size() > most_bytes)
        return data_error("a program of more than 16 MiB with its headers");
    const std::string content = with_line_numbers(file.content);
    token_stream code;
    lex(content, code);
    if (content.find("__has_include") != content.npos)
        return data_error("__has_include in a task's files");
    const bool is_guarded_whole = is_guarded(code);
    const bool has_once = std::any_of(code.directives.begin(), code.directives.end(),
                                      [&](const directive& d) { return is_once(code, d); });
    if (depth > 0 && (is_guarded_whole || has_once)) {
        if (once_.contains(file.path)) return {};
        if (is_certain) once_.insert(file.path);
    }
    if (depth > 0 && has_once) {
        const std::string name = "INCLUDED_ONCE_" + std::to_string(&file - files_.data());
        append_own("#ifndef " + name + "\n#define " + name + '\n');
    }
    const std::size_t of_guard = is_guarded_whole ? 1 : 0;
    std::size_t from = 0, line = 1, open = 0;
    const auto pass = [&](std::size_t to) {
        const std::string_view part = std::string_view(content).substr(from, to - from);
        append(part, file, line);
        line += static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n'));
        from = to;
    };
    for (const directive& d : code.directives) {
        if (opens(d.keyword)) ++open;
        if (d.keyword == pp_keyword::endif && open > 0) --open;
        if (depth > 0 && is_once(code, d)) {  // the macro stands for it
            pass(d.begin);
            from = d.end;
        }
        if (d.keyword != pp_keyword::include) continue;
        const auto what = include_line_of(code, d);
        if (!what) return data_error("an #include whose name a macro gives");
        const task_file* found = included_file(files_, folders_, *what, file.path);
        if (found == nullptr) continue;
        pass(d.begin);
        CUSET_TRY(add(*found, is_certain && open <= of_guard, depth + 1));
        if (!out_.text.ends_with('\n')) append_own("\n");
        from = d.end;
    }
    pass(content.size());
    if (depth > 0 && has_once) append_own(out_.text.ends_with('\n') ? "#endif\n" : "\n#endif\n");
    return {};
}

}  // namespace

const task_file* included_file(const std::vector<task_file>& files,
                               const std::vector<std::string>& folders,
                               const syntax::include_line& what, std::string_view from) {
    namespace fs = std::filesystem;
    if (what.name.starts_with('/')) return nullptr;
    const auto at = [&](const fs::path& folder) {
        return file_named(files, (folder / what.name).lexically_normal().string());
    };
    if (what.is_quoted)
        if (const auto* beside = at(fs::path(from).parent_path())) return beside;
    for (const auto& folder : folders)
        if (const auto* found = at(folder == "." ? fs::path() : fs::path(folder))) return found;
    return nullptr;
}

void line_origins::add(std::size_t first, std::string file, std::size_t line) {
    origins_.push_back({first, std::move(file), line});
}

const line_origins::origin* line_origins::of(std::size_t line) const {
    const auto after =
        std::upper_bound(origins_.begin(), origins_.end(), line,
                         [](std::size_t wanted, const origin& o) { return wanted < o.first; });
    return after == origins_.begin() ? nullptr : &*std::prev(after);
}

namespace {

/// Where a message names a line of flat sources, and how.
struct named_line {
    std::size_t before;  ///< the characters in front of its number
    bool has_file;       ///< "program.cu(12)" or "unit1/program.cu:12", not "line 12"
};

std::optional<named_line> named_line_at(std::string_view text) {
    constexpr std::string_view file = "program.cu", alone = "line ", unit = "unit";
    if (text.starts_with(alone)) return named_line{alone.size(), false};
    std::size_t at = 0;
    if (text.starts_with(unit)) {
        const std::size_t slash = text.find_first_not_of("0123456789", unit.size());
        if (slash == text.npos || text[slash] != '/') return {};
        at = slash + 1;
    }
    if (!text.substr(at).starts_with(file)) return {};
    at += file.size();
    if (at == text.size() || (text[at] != '(' && text[at] != ':')) return {};
    return named_line{at + 1, true};
}

}  // namespace

std::string line_origins::in_files(std::string_view message) const {
    std::string out;
    for (std::size_t at = 0; at < message.size();) {
        const auto named = named_line_at(message.substr(at));
        std::size_t line = 0;
        const char* const begin = message.data() + at + (named ? named->before : 0);
        const char* const end = message.data() + message.size();
        const auto read = named ? std::from_chars(begin, end, line)
                                : std::from_chars_result{begin, std::errc::invalid_argument};
        const origin* const found = read.ec == std::errc() ? of(line) : nullptr;
        if (found == nullptr) {
            out += message[at++];
            continue;
        }
        const std::string number = std::to_string(found->line + line - found->first);
        out += named->has_file ? found->file + begin[-1] + number
                               : "line " + number + " of " + found->file;
        at = static_cast<std::size_t>(read.ptr - message.data());
    }
    return out;
}

result<flat_source> flatten(const std::vector<task_file>& files, std::string_view path,
                            const std::vector<std::string>& folders, std::size_t before,
                            line_origins& origins) {
    const task_file* const source = file_named(files, path);
    if (source == nullptr) return data_error("no file " + std::string(path));
    flattener flat(files, folders, before, origins);
    CUSET_TRY(flat.add(*source, true, 0));
    return flat.take();
}

}  // namespace cuset
