#include "split_statements.h"

#include <algorithm>

namespace cuset {

using namespace syntax;

namespace {

constexpr int most_depth = 48;

bool is_opener(const token_stream& code, std::uint32_t i) {
    return code.is(i, '(') || code.is(i, '[') || code.is(i, '{');
}

// The token after `<…>` at `i`, or `i`.
std::uint32_t after_angles(const token_stream& code, std::uint32_t i, std::uint32_t end) {
    if (i >= end || !code.is(i, less) || code.tokens[i].count != 1) return i;
    const std::uint32_t close = closing_angle(code, i, end);
    return close == no_token ? i : close + 1;
}

// The first words of statements that are no expressions.
constexpr std::string_view other_words[] = {
    "struct",    "class",    "union",  "enum",     "typedef", "using",    "static_assert",
    "extern",    "new",      "throw",  "asm",      "__asm__", "template", "typename",
    "constexpr", "const",    "static", "volatile", "auto",    "goto",     "co_await",
    "co_return", "co_yield", "else",   "delete"};

bool is_no_type(std::string_view w) {
    constexpr std::string_view begins[] = {"typename"};
    const auto in = [&](const auto& list) { return std::ranges::find(list, w) != std::end(list); };
    return (in(other_words) && !in(begins)) || w == "sizeof" || w == "return" || w == "not";
}

constexpr std::string_view specifier_words[] = {"const",    "constexpr", "static",  "volatile",
                                                "register", "inline",    "mutable", "__restrict__"};

}  // namespace

std::uint32_t statement_end(const token_stream& code, std::uint32_t i, std::uint32_t end,
                            int depth) {
    if (depth > most_depth) return no_token;
    const auto after_parentheses = [&](std::uint32_t at) {
        if (!code.is(at, '(')) return no_token;
        const std::uint32_t close = partner(code, at, end);
        return close == no_token ? no_token : close + 1;
    };
    while (i < end) {
        if (code.is(i, '{')) {
            const std::uint32_t close = partner(code, i, end);
            return close == no_token ? no_token : close + 1;
        }
        const bool is_if = code.is_word(i, "if");
        if (is_if || code.is_word(i, "for") || code.is_word(i, "while") ||
            code.is_word(i, "switch")) {
            if (is_if && code.is_word(i + 1, "constexpr")) ++i;
            const std::uint32_t body = after_parentheses(i + 1);
            if (body == no_token) return no_token;
            const std::uint32_t after = statement_end(code, body, end, depth + 1);
            if (after == no_token || after >= end || !is_if || !code.is_word(after, "else"))
                return after;
            return statement_end(code, after + 1, end, depth + 1);
        }
        if (code.is_word(i, "do")) {
            const std::uint32_t after = statement_end(code, i + 1, end, depth + 1);
            if (after == no_token || after >= end || !code.is_word(after, "while")) return no_token;
            const std::uint32_t last = after_parentheses(after + 1);
            return last < end && code.is(last, ';') ? last + 1 : no_token;
        }
        if (code.is_word(i, "case") || code.is_word(i, "default")) {
            while (i < end && !code.is(i, ':')) {
                if (code.is(i, ';') || code.is(i, '{') || code.is(i, '?')) return no_token;
                ++i;
            }
            ++i;
            continue;
        }
        if (code.is_word(i, "_Pragma")) {
            i = after_parentheses(i + 1);
            if (i == no_token) return no_token;
            continue;
        }
        for (std::uint32_t j = i; j < end; ++j) {
            if (code.is(j, ';')) return j + 1;
            if (code.is(j, '}') || code.is(j, ')') || code.is(j, ']')) return no_token;
            if (is_opener(code, j)) {
                j = partner(code, j, end);
                if (j == no_token) return no_token;
            }
        }
        return no_token;
    }
    return no_token;
}

std::uint32_t after_specifiers(const token_stream& code, std::uint32_t i, std::uint32_t end,
                               bool& has_type) {
    has_type = false;
    const std::uint32_t first = i;
    while (i < end) {
        if (code.is(i, word)) {
            const std::string w = code.spelling(i);
            if (std::ranges::find(specifier_words, w) != std::end(specifier_words)) {
                ++i;
                continue;
            }
            if (is_arithmetic_type_word(w) && !code.is(i + 1, scope)) {
                has_type = true;
                ++i;
                continue;
            }
            if (!has_type && (w == "auto" || w == "void")) {
                has_type = true;
                ++i;
                continue;
            }
        }
        if (has_type) break;
        if (code.is(i, word) && is_no_type(code.spelling(i))) break;
        std::uint32_t j = i;
        if (code.is_word(j, "typename")) ++j;
        if (code.is(j, scope)) ++j;
        bool named = false;
        while (j < end && code.is(j, word)) {
            named = true;
            j = after_angles(code, j + 1, end);
            if (!code.is(j, scope)) break;
            ++j;
            if (code.is_word(j, "template")) ++j;
            named = false;
        }
        // A type's name is followed by a declarator.
        const bool declares =
            named && j < end && (code.is(j, word) || code.is(j, '*') || code.is(j, '&'));
        if (!declares) break;
        has_type = true;
        i = j;
    }
    return has_type ? i : first;
}

bool is_expression(const token_stream& code, std::uint32_t i, std::uint32_t end) {
    if (i >= end) return true;
    if (code.is(i, word)) {
        const std::string w = code.spelling(i);
        if (std::ranges::find(other_words, w) != std::end(other_words)) return false;
        // `int (x);` is a declaration, and a single word may be a macro's statement.
        if (is_arithmetic_type_word(w) || w == "void" || i + 1 == end) return false;
    }
    if (code.is(i, '[')) return false;
    // A name, its qualification, its arguments and its members.
    if (code.is(i, word) || code.is(i, scope)) {
        std::uint32_t j = i;
        if (code.is(j, scope)) ++j;
        while (j < end) {
            if (code.is(j, word)) {
                ++j;
            } else if (is_opener(code, j) && !code.is(j, '{')) {
                j = partner(code, j, end);
                if (j == no_token) return false;
                ++j;
            } else if (const std::uint32_t a = after_angles(code, j, end);
                       a != j && (code.is(a, '(') || code.is(a, scope))) {
                j = a;
            } else if (code.is(j, scope) || code.is(j, '.') || code.is(j, arrow)) {
                if (!code.is(++j, word)) return false;
                continue;
            } else {
                break;
            }
            // Two words, or a word after a bracket: a declaration or a macro's statement.
            if (j < end &&
                (code.is(j, word) || code.is(j, number) || code.is(j, string) || code.is(j, '{')))
                return false;
        }
    }
    return true;
}

}  // namespace cuset
