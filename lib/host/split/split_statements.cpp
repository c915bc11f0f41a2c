#include "split_statements.h"

#include <algorithm>

namespace cuset {

using namespace syntax;

namespace {

constexpr int most_depth = 48;

// The first words of statements that are no expressions.
constexpr std::string_view other_words[] = {
    "struct",    "class",    "union",  "enum",     "typedef", "using",    "static_assert",
    "extern",    "new",      "throw",  "asm",      "__asm__", "template", "typename",
    "constexpr", "const",    "static", "volatile", "auto",    "goto",     "co_await",
    "co_return", "co_yield", "else",   "delete"};

constexpr std::string_view specifier_words[] = {"const",    "constexpr", "static",  "volatile",
                                                "register", "inline",    "mutable", "__restrict__"};

}  // namespace

std::uint32_t statement_end(const token_stream& code, std::uint32_t i, std::uint32_t end,
                            int depth) {
    if (depth > most_depth) return no_token;
    const auto after_parentheses = [&](std::uint32_t at) {
        if (!code.is(at, '(')) return no_token;
        const std::uint32_t close = code.closer_of(at, end);
        return close == no_token ? no_token : close + 1;
    };
    while (i < end) {
        if (code.is(i, '{')) {
            const std::uint32_t close = code.closer_of(i, end);
            return close == no_token ? no_token : close + 1;
        }
        const bool is_if = code.is_word(i, "if");
        if (is_if || code.is_any_word(i, {"for", "while", "switch"})) {
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
        if (code.is_any_word(i, {"case", "default"})) {
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
            if (code.is_closer(j)) return no_token;
            if (code.is_opener(j)) j = code.closer_of(j, end);
            if (j == no_token) return no_token;
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
            const bool is_arithmetic = is_arithmetic_type_word(w) && !code.is(i + 1, scope);
            const bool is_type = is_arithmetic || (!has_type && is_one_of(w, {"auto", "void"}));
            if (is_type || is_one_of(w, specifier_words)) {
                has_type |= is_type;
                ++i;
                continue;
            }
        }
        if (has_type) break;
        std::uint32_t j = i;
        if (code.is_word(j, "typename")) {
            ++j;
        } else if (code.is_any_word(j, other_words) ||
                   code.is_any_word(j, {"sizeof", "return", "not"})) {
            break;
        }
        if (code.is(j, scope)) ++j;
        if (!code.is(j, word)) break;
        j = after_parts(code, j + 1, end, {less, scope});
        // A type's name is followed by a declarator.
        const bool declares = j < end && (code.is(j, word) || code.is(j, '*') || code.is(j, '&'));
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
        if (is_one_of(w, other_words)) return false;
        // `int (x);` is a declaration, and a single word may be a macro's statement.
        if (is_arithmetic_type_word(w) || w == "void" || i + 1 == end) return false;
    }
    if (code.is(i, '[')) return false;
    // A name, its qualification, its arguments and its members.
    if (!code.is(i, word) && !code.is(i, scope)) return true;
    const auto walk = [&](std::uint32_t at) {
        return after_parts(code, at, end, {'(', '[', '.', arrow, scope});
    };
    std::uint32_t j = walk(code.is(i, word) ? i + 1 : i);
    for (;;) {
        // Template arguments, if a call or a name follows; else a comparison.
        const std::uint32_t close = after_parts(code, j, end, {less});
        if (close == j || !(code.is(close, '(') || code.is(close, scope))) break;
        j = walk(close);
    }
    // Two words, or a word after a bracket, are a declaration or a macro's statement.
    const bool declares = code.is(j, word) || code.is(j, number) || code.is(j, string);
    const bool is_cut =
        code.is_opener(j) || code.is(j, '.') || code.is(j, arrow) || code.is(j, scope);
    return j >= end || !(declares || is_cut);
}

}  // namespace cuset
