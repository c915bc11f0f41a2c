#include "cuset/syntax/expression.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace cuset::syntax {
namespace {

// The most tokens that are searched for the end of template arguments: keeps hostile text linear.
constexpr std::uint32_t most_arguments = 1024;

bool has_small_letter(std::string_view w) {
    return std::ranges::any_of(w, [](char c) { return c >= 'a' && c <= 'z'; });
}

// The word at i with the words pasted before it.
std::string pasted_word(const token_stream& code, std::uint32_t i, std::uint32_t floor) {
    std::string name = code.spelling(i);
    while (i >= floor + 2 && code.is(i - 1, paste) &&
           (code.is(i - 2, word) || code.is(i - 2, number))) {
        i -= 2;
        name.insert(0, code.spelling(i) + "##");
    }
    return name;
}

std::uint32_t opening_angle(const token_stream& code, std::uint32_t greater_token,
                            std::uint32_t floor) {
    std::size_t open = code.tokens[greater_token].count;
    for (std::uint32_t i = greater_token; i > floor;) {
        const token& t = code.tokens[--i];
        if (code.is_closer(i)) {
            i = code.opener_of(i, floor);
            if (i == no_token) return no_token;
        } else if (code.is_opener(i) || t.kind == ';' || t.kind == launch_open) {
            return no_token;
        } else if (t.kind == greater) {
            open += t.count;
        } else if (may_open_angle(code, i) && --open == 0) {
            return i;
        }
    }
    return no_token;
}

// The token after the part that begins at i; i if none is complete before `end`.
std::uint32_t after_part(const token_stream& code, std::uint32_t i, std::uint32_t end) {
    if (i >= end) return i;
    std::uint32_t last = no_token;
    switch (code.tokens[i].kind) {
        case '(':
        case '[': last = code.closer_of(i, end); break;
        case less:
            if (code.tokens[i].count == 1) last = closing_angle(code, i, end);
            break;
        case '.':
        case arrow:
        case scope:
            last = code.is_word(i + 1, "template") ? i + 2 : i + 1;
            if (!code.is(last, word) || last >= end) return i;
            break;
        default: break;
    }
    return last == no_token ? i : last + 1;
}

}  // namespace

std::uint32_t after_parts(const token_stream& code, std::uint32_t i, std::uint32_t end,
                          std::initializer_list<std::uint8_t> kinds) {
    for (std::uint32_t from = no_token; i != from;) {
        from = i;
        const bool is_wanted =
            std::ranges::any_of(kinds, [&](std::uint8_t kind) { return code.is(from, kind); });
        if (is_wanted) i = after_part(code, from, end);
    }
    return i;
}

bool is_assignment(const token_stream& code, std::uint32_t i) {
    if (code.is(i, '=')) return true;
    if (code.is(i, comparison)) return !is_one_of(code.raw(i), {"==", "!=", "<=", ">="});
    constexpr std::string_view operators = "+-*/%&|^";
    return code.is(i + 1, '=') && code.touches_next(i) &&
           operators.find(static_cast<char>(code.tokens[i].kind)) != operators.npos;
}

bool is_step(const token_stream& code, std::uint32_t i) {
    return (code.is(i, '+') || code.is(i, '-')) && code.is(i + 1, code.tokens[i].kind) &&
           code.touches_next(i);
}

std::uint32_t expression_start(const token_stream& code, std::uint32_t last, std::uint32_t floor) {
    std::uint32_t i = last + 1;
    const auto follows = [&](std::uint8_t kind) { return i > floor && code.is(i - 1, kind); };
    const auto follows_keyword = [&] {
        return follows(word) && is_statement_keyword(code.raw(i - 1));
    };
    while (i > floor) {
        if (follows(word) || follows(number) || follows(paste)) {
            if (follows_keyword()) return i;
            const bool is_paste = code.is(--i, paste);
            // Pasting and qualification continue a word to the left.
            if (is_paste || follows(paste)) continue;
            if (i > floor && code.is_word(i - 1, "template")) --i;
            if (follows(scope)) {
                --i;
                if (follows(greater) || (follows(word) && !follows_keyword())) continue;
                return i;
            }
            if (!follows('.') && !follows(arrow)) return i;
            --i;
            continue;
        }
        if (!follows(greater) && !follows(']') && !follows(')')) return i;
        const bool is_parenthesis = follows(')');
        const std::uint32_t open = part_start(code, i - 1, floor);
        if (open == no_token) return i;
        i = open;
        if (!is_parenthesis || follows(greater) || follows(']')) continue;
        // Also behind a `)`: if (…) (*fp)<<<…>>>, or a cast.
        if (!follows(word) || follows_keyword() ||
            is_one_of(code.raw(i - 1), {"if", "while", "for", "switch"})) {
            return i;
        }
    }
    return i;
}

std::string name_of_expression(const token_stream& code, std::uint32_t last, std::uint32_t floor) {
    std::string outer;  // a macro's own name, used if its arguments have none
    for (std::uint32_t i = last + 1; i > floor;) {
        const token& t = code.tokens[--i];
        const bool pasted = t.kind == number && i > floor && code.is(i - 1, paste);
        if (t.kind == word || pasted) return pasted_word(code, i, floor);
        if (t.kind == '}') {  // a format field: "{name}<<<…>>>"
            floor = t.link == no_token ? i : std::max(floor, t.link + 1);
            continue;
        }
        if (t.kind != greater && t.kind != ']' && t.kind != ')') {
            if (t.kind < pp_if) return outer;
            continue;
        }
        const std::uint32_t open = part_start(code, i, floor);
        if (open == no_token) return outer;
        if (t.kind != ')') {
            i = open;
            continue;
        }
        std::uint32_t callee = open;
        const bool generic = callee > floor && code.is(callee - 1, greater);
        if (generic) {
            callee = part_start(code, callee - 1, floor);
            if (callee == no_token) callee = open;
        }
        if (callee > floor && code.is(callee - 1, word)) {
            std::string name = pasted_word(code, callee - 1, floor);
            const bool cast = generic && name.ends_with("_cast");
            const bool keyword = is_statement_keyword(name);
            if (!cast && !keyword && has_small_letter(name)) return name;
            if (!cast && !keyword && outer.empty()) outer = std::move(name);
        }
        floor = open + 1;
    }
    return outer;
}

bool may_open_angle(const token_stream& code, std::uint32_t i) {
    return code.is(i, less) && code.tokens[i].count == 1 && i > 0 && code.is(i - 1, word);
}

std::uint32_t closing_angle(const token_stream& code, std::uint32_t open, std::uint32_t end) {
    std::size_t depth = 0;
    end = std::min({end, code.size(), open + most_arguments});
    for (std::uint32_t i = open; i < end; ++i) {
        const token& t = code.tokens[i];
        if (t.kind == less) {
            if (i == open || t.count == 1) depth += t.count;
        } else if (t.kind == greater) {
            if (t.count >= depth) return i;
            depth -= t.count;
        } else if (code.is_opener(i)) {
            i = code.closer_of(i, end);
            if (i == no_token) return no_token;
        } else if (code.is_closer(i) || t.kind == ';') {
            return no_token;
        }
    }
    return no_token;
}

std::uint32_t part_start(const token_stream& code, std::uint32_t last, std::uint32_t floor) {
    if (code.is(last, greater)) return opening_angle(code, last, floor);
    return code.is_closer(last) ? code.opener_of(last, floor) : no_token;
}

std::vector<token_range> split_at_commas(const token_stream& code, token_range list) {
    std::vector<token_range> parts;
    if (list.end < list.first + 2) return parts;
    const std::uint32_t end = list.end - 1;
    const bool is_list = (code.is(list.first, '(') && code.is(end, ')')) ||
                         (code.is(list.first, '{') && code.is(end, '}'));
    if (!is_list || end == list.first + 1) return parts;
    std::uint32_t first = list.first + 1;
    for (std::uint32_t i = first; i < end; ++i) {
        if (code.is(i, ',')) {
            parts.push_back({first, i});
            first = i + 1;
        } else if (may_open_angle(code, i)) {
            const std::uint32_t close = closing_angle(code, i, end);
            if (close != no_token) i = close;
        } else {
            i = code.group_end(i, end);
        }
    }
    parts.push_back({first, end});
    return parts;
}

bool is_statement_keyword(std::string_view w) {
    return is_one_of(
        w, {"return", "else", "do", "case", "throw", "co_return", "co_yield", "co_await", "not",
            "and", "or", "xor", "new", "delete", "sizeof", "typeid", "goto", "default"});
}

}  // namespace cuset::syntax
