#include "translate/macro_expansion.h"

#include <algorithm>
#include <cstdint>

namespace cuset {

using namespace syntax;

bool is_parameter(const token_stream& code, const cuda_macro& m, std::uint32_t i) {
    return code.is(i, word) && std::ranges::any_of(m.parameters, [&](std::uint32_t p) {
               return code.raw(p) == code.raw(i);
           });
}

namespace {

std::string literal_of(std::string_view text) {
    std::string made = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') made += '\\';
        made += c;
    }
    return made + '"';
}

}  // namespace

std::string expansion_of(const token_stream& code, const cuda_macro& m,
                         const std::vector<std::string>& arguments, std::string_view rest) {
    std::string made;
    std::uint32_t last_end = 0;
    bool was_argument = false, is_pasted = false;
    for (std::uint32_t i = m.replacement.first; i < m.replacement.end; ++i) {
        if (code.is(i, paste)) {
            is_pasted = true;
            continue;
        }
        const bool is_quoted =
            code.is(i, '#') && (is_parameter(code, m, i + 1) || code.is_word(i + 1, "__VA_ARGS__"));
        const std::uint32_t at = is_quoted ? i + 1 : i;
        std::string part(code.raw(at));
        bool is_argument = false;
        if (code.is_word(at, "__VA_ARGS__")) {
            part = is_quoted ? literal_of(rest) : rest;
            is_argument = true;
        }
        for (std::size_t k = 0; k < m.parameters.size(); ++k)
            if (code.is(at, word) && code.raw(m.parameters[k]) == code.raw(at)) {
                part = is_quoted ? literal_of(arguments[k]) : arguments[k];
                is_argument = true;
            }
        const bool touches = code.tokens[i].begin == last_end && !is_argument && !was_argument;
        if (!made.empty() && !is_pasted && !touches) made += ' ';
        made += part;
        last_end = code.tokens[at].end;
        was_argument = is_argument;
        is_pasted = false;
        i = at;
    }
    return made;
}

}  // namespace cuset
