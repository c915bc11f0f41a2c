#include "translate/asm_macros.h"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "cuset/syntax/cuda_program.h"
#include "cuset/syntax/expression.h"
#include "text_edits.h"
#include "translate/macro_expansion.h"

namespace cuset {

using namespace syntax;

namespace {

/// Whether the text of an asm statement in it, up to the first colon, has one of its parameters.
bool makes_asm_text(const token_stream& code, const cuda_macro& m) {
    if (!m.is_function) return false;
    for (std::uint32_t i = m.replacement.first; i < m.replacement.end; ++i) {
        if (!code.is_any_word(i, {"asm", "__asm__", "__asm"})) continue;
        while (i < m.replacement.end && !code.is(i, '(')) ++i;
        for (++i;
             i < m.replacement.end && !code.is(i, ':') && !code.is(i, scope) && !code.is(i, ')');
             ++i)
            if (is_parameter(code, m, i)) return true;
    }
    return false;
}

/// One pass over the text; nothing if it has nothing to do.
std::optional<std::string> expanded_once(std::string_view text) {
    const cuda_program program = read_cuda_program(text);
    const token_stream& code = program.code;
    std::map<std::string, const cuda_macro*, std::less<>> wanted;
    for (const cuda_macro& m : program.macros)
        if (makes_asm_text(code, m)) wanted[code.spelling(m.name)] = &m;
    if (wanted.empty()) return std::nullopt;
    text_edits edits(text);
    bool has_any = false;
    for (std::uint32_t i = 0; i + 1 < code.size(); ++i) {
        if (code.is(i, define)) {
            i = code.tokens[i].link;
            continue;
        }
        if (!code.is(i, word) || !code.is(i + 1, '(')) continue;
        const auto found = wanted.find(code.raw(i));
        const std::uint32_t close = code.closer_of(i + 1);
        if (found == wanted.end() || close == no_token) continue;
        const cuda_macro& m = *found->second;
        std::vector<std::string> arguments;
        for (const token_range a : split_at_commas(code, {i + 1, close + 1}))
            arguments.push_back(source_of(code, a));
        if (arguments.size() != m.parameters.size()) continue;
        edits.replace(code.tokens[i].begin, code.tokens[close].end,
                      expansion_of(code, m, arguments), false);
        has_any = true;
        i = close;
    }
    return has_any ? edits.apply() : std::nullopt;
}

/// Without those that no code uses any more: their text cannot be read.
std::string without_definitions(std::string text) {
    const cuda_program program = read_cuda_program(text);
    const token_stream& code = program.code;
    text_edits edits(text);
    for (const cuda_macro& m : program.macros) {
        if (!makes_asm_text(code, m)) continue;
        std::size_t uses = 0;
        for (std::uint32_t i = 0; i < code.size(); ++i)
            uses += code.is(i, word) && i != m.name && code.raw(i) == code.raw(m.name) &&
                    !code.is_word(i - 1, "undef");
        if (uses == 0)
            edits.replace(code.tokens[m.define].begin, code.tokens[m.replacement.end - 1].end, "",
                          false);
    }
    auto made = edits.apply();
    return made ? *std::move(made) : std::move(text);
}

}  // namespace

std::string with_asm_macros_expanded(std::string_view text) {
    if (text.find("asm") == text.npos || text.find("define") == text.npos ||
        text.size() >= std::numeric_limits<std::uint32_t>::max() / 4)
        return {};
    constexpr int deepest = 4;  // such macros within the arguments of others
    std::string made;
    for (int pass = 0; pass < deepest; ++pass) {
        auto next = expanded_once(pass == 0 ? text : std::string_view(made));
        if (!next) break;
        made = *std::move(next);
    }
    return made.empty() ? made : without_definitions(std::move(made));
}

}  // namespace cuset
