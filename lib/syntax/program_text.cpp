#include "cuset/syntax/program_text.h"

#include <algorithm>
#include <vector>

#include "cuset/syntax/lexer.h"
#include "fences.h"
#include "languages.h"
#include "regions.h"

namespace cuset {

namespace {

using namespace syntax;

/// Prose may name a kernel's parts too, but it hardly begins a line with them.
bool begins_a_line(std::string_view text, std::string_view word) {
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
        const std::size_t line = text.substr(0, at).rfind('\n') + 1;  // npos + 1 is 0
        if (text.substr(line, at - line).find_first_not_of(" \t") == text.npos) return true;
    }
    return false;
}

bool looks_like_code(std::string_view text) {
    constexpr std::size_t lines = 16;
    return language_of_lines(text, lines, true) == host_language::cpp ||
           begins_a_line(text, "#include") || begins_a_line(text, "__global__") ||
           begins_a_line(text, "int main(");
}

bool is_code(std::string_view text, const region& r) {
    if (r.language != host_language::cpp) return false;
    const std::string_view code = text.substr(r.begin, r.end - r.begin);
    if (code.find_first_not_of(" \t\r\n") == code.npos) return false;
    return !r.is_whole_text || looks_like_code(code);
}

/// Whether a line begins with "class NAME".
bool defines_class(std::string_view text, std::string_view name) {
    const std::string line = "class " + std::string(name);
    for (std::size_t at = text.find(line); at != text.npos; at = text.find(line, at + 1)) {
        const bool begins = at == 0 || text[at - 1] == '\n';
        const std::size_t end = at + line.size();
        if (begins && (end == text.size() ||
                       std::string_view("(: \t\r\n").find(text[end]) != std::string_view::npos))
            return true;
    }
    return false;
}

constexpr std::string_view reasoning_begin = "<think>", reasoning_end = "</think>";

}  // namespace

std::size_t end_of_reasoning(std::string_view answer) {
    if (is_cut_in_reasoning(answer)) return answer.size();
    // Most answers have none, which find() sees much faster than rfind().
    const std::size_t mark =
        answer.find(reasoning_end) == answer.npos ? answer.npos : answer.rfind(reasoning_end);
    return mark == answer.npos ? 0 : mark + reasoning_end.size();
}

bool is_cut_in_reasoning(std::string_view answer) {
    const std::size_t begin = std::min(answer.find_first_not_of(" \t\r\n"), answer.size());
    return answer.substr(begin).starts_with(reasoning_begin) &&
           answer.find(reasoning_end) == answer.npos;
}

std::optional<program_text> find_program(std::string_view answer, fence_choice choice) {
    const std::size_t from = end_of_reasoning(answer);
    const std::string_view text = answer.substr(from);
    std::optional<program_text> found;
    for (const region& r : find_regions(text, source_language::automatic)) {
        if (!is_code(text, r)) continue;
        if (choice == fence_choice::last && !r.is_closed) continue;
        found = program_text{from + r.begin, from + r.end};
        if (choice == fence_choice::first) break;
    }
    return found;
}

std::vector<program_text> code_blocks(std::string_view text) {
    std::vector<program_text> found;
    for (const region& r : find_regions(text, source_language::automatic))
        if (is_code(text, r)) found.push_back({r.begin, r.end});
    return found;
}

static bool is_of_tag(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::optional<program_text> find_program_of_cudabench(std::string_view answer,
                                                      cudabench_tags tags) {
    constexpr std::string_view fence = "```", blanks = " \t\n\r\v\f\x1c\x1d\x1e\x1f";
    const std::size_t first = answer.find(fence);
    if (first == answer.npos) return {};
    std::size_t begin = first + fence.size();
    if (tags == cudabench_tags::any_word) {
        while (begin < answer.size() && is_of_tag(answer[begin])) ++begin;
    } else {
        for (const std::string_view word : {"cpp", "c++"})
            if (answer.substr(begin).starts_with(word)) {
                begin += word.size();
                break;
            }
    }
    std::size_t end = answer.find(fence, begin);
    if (end == answer.npos) return {};
    begin = std::min(answer.find_first_not_of(blanks, begin), end);
    while (end > begin && blanks.find(answer[end - 1]) != blanks.npos) --end;
    return program_text{begin, end};
}

std::optional<program_text> find_module(std::string_view answer, std::string_view name,
                                        fence_choice choice) {
    const std::size_t from = end_of_reasoning(answer);
    const std::string_view text = answer.substr(from);
    const auto fences = find_fences(text);
    if (fences.empty() && defines_class(text, name)) return program_text{from, answer.size()};
    std::optional<program_text> found;
    bool has_class = false;
    for (const syntax::fence& f : fences) {
        const std::string_view content = text.substr(f.begin, f.end - f.begin);
        const bool is_open = f.end == text.size();
        if (language_of_fence(content, f.info) != host_language::python) continue;
        if (choice == fence_choice::last && is_open) continue;
        const bool defines = defines_class(content, name);
        if (found && (defines == has_class ? choice == fence_choice::first : has_class)) continue;
        found = program_text{from + f.begin, from + f.end};
        has_class = defines;
    }
    return found;
}

std::vector<std::string_view> fence_infos(std::string_view text) {
    std::vector<std::string_view> infos;
    for (const syntax::fence& f : syntax::find_fences(text)) infos.push_back(f.info);
    return infos;
}

bool has_name(std::string_view code, std::span<const std::string_view> stems) {
    syntax::token_stream tokens;
    syntax::lex(code, tokens);
    for (std::uint32_t i = 0; i < tokens.size(); ++i) {
        if (!tokens.is(i, syntax::word)) continue;
        const std::string name = tokens.spelling(i);
        for (const auto stem : stems) {
            if (!name.starts_with(stem)) continue;
            const char next = name.size() == stem.size() ? '_' : name[stem.size()];
            if (next < 'a' || next > 'z') return true;
        }
    }
    return false;
}

}  // namespace cuset
