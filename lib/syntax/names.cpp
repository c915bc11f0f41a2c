#include "names.h"

#include <algorithm>
#include <array>
#include <optional>

namespace cuset::syntax {
namespace {

bool is_one_of(std::string_view w, std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, w) != words.end();
}

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

// Calls of these words are attributes before a parameter list; after it, they end the declarator.
bool is_attribute(std::string_view w) {
    return is_one_of(w, {"__launch_bounds__", "__cluster_dims__", "__maxnreg__", "__block_size__",
                         "__attribute__", "__declspec", "__align__", "alignas", "decltype",
                         "typeof", "__typeof__", "explicit", "asm", "__asm__", "sizeof",
                         "__grid_constant__", "amdgpu_flat_work_group_size"});
}

}  // namespace

bool is_statement_keyword(std::string_view w) {
    return is_one_of(
        w, {"return", "else", "do", "case", "throw", "co_return", "co_yield", "co_await", "not",
            "and", "or", "xor", "new", "delete", "sizeof", "typeid", "goto", "default"});
}

bool may_open_angle(const token_stream& code, std::uint32_t i) {
    return code.is(i, less) && code.tokens[i].count == 1 && i > 0 && code.is(i - 1, word);
}

std::uint32_t opening_angle(const token_stream& code, std::uint32_t greater_token,
                            std::uint32_t floor) {
    std::size_t open = code.tokens[greater_token].count;
    for (std::uint32_t i = greater_token; i > floor;) {
        const token& t = code.tokens[--i];
        switch (t.kind) {
            case ')':
            case ']':
            case '}':
                if (t.link == no_token || t.link < floor) return no_token;
                i = t.link;
                break;
            case '(':
            case '[':
            case '{':
            case ';':
            case launch_open: return no_token;
            case greater: open += t.count; break;
            case less:
                if (may_open_angle(code, i) && --open == 0) return i;
                break;
            default: break;
        }
    }
    return no_token;
}

std::string name_of_expression(const token_stream& code, std::uint32_t last, std::uint32_t floor) {
    std::string outer;  // a macro's own name, used if its arguments have none
    for (std::uint32_t i = last + 1; i > floor;) {
        const token& t = code.tokens[--i];
        const bool pasted = t.kind == number && i > floor && code.is(i - 1, paste);
        if (t.kind == word || pasted) return pasted_word(code, i, floor);
        if (t.kind == greater) {
            const std::uint32_t open = opening_angle(code, i, floor);
            if (open == no_token) return outer;
            i = open;
        } else if (t.kind == ']') {
            if (t.link == no_token || t.link < floor) return outer;
            i = t.link;
        } else if (t.kind == '}') {  // a format field: "{name}<<<…>>>"
            floor = t.link == no_token ? i : std::max(floor, t.link + 1);
        } else if (t.kind == ')') {
            if (t.link == no_token || t.link < floor) return outer;
            std::uint32_t callee = t.link;
            const bool generic = callee > floor && code.is(callee - 1, greater);
            if (generic) {
                callee = opening_angle(code, callee - 1, floor);
                if (callee == no_token) callee = t.link;
            }
            if (callee > floor && code.is(callee - 1, word)) {
                std::string name = pasted_word(code, callee - 1, floor);
                const bool cast = generic && name.ends_with("_cast");
                const bool keyword = is_statement_keyword(name);
                if (!cast && !keyword && has_small_letter(name)) return name;
                if (!cast && !keyword && outer.empty()) outer = std::move(name);
            }
            floor = t.link + 1;
        } else if (t.kind < pp_if) {
            return outer;
        }
    }
    return outer;
}

std::uint32_t skip_other_branches(const token_stream& code, std::uint32_t i, std::uint32_t limit) {
    for (std::size_t depth = 0; i + 1 < limit;) {
        const std::uint8_t kind = code.tokens[++i].kind;
        if (kind == pp_if) ++depth;
        if (kind == pp_endif && depth-- == 0) break;
    }
    return i;
}

argument_kind classify_arguments(const token_stream& code, std::uint32_t open,
                                 std::uint32_t close) {
    constexpr std::uint32_t enough = 1024;  // tokens: keeps unclosed lists linear
    if (close == open + 1) return argument_kind::parameters;
    close = std::min(close, open + enough);
    bool begins = true;  // an argument begins here
    for (std::uint32_t i = open + 1; i < close; ++i) {
        const token& t = code.tokens[i];
        if (t.kind >= pp_if) continue;
        if (t.kind == word) {
            const std::string_view w = code.raw(i);
            if (is_one_of(w, {"const", "void", "unsigned", "int", "struct", "typename", "volatile",
                              "float", "char"})) {
                return argument_kind::parameters;
            }
            if (begins && is_one_of(w, {"nullptr", "NULL", "true", "false", "sizeof", "this"})) {
                return argument_kind::expressions;
            }
            const bool operator_word = is_statement_keyword(w) || w == "template";
            if (code.is(i + 1, word) && !operator_word && !is_statement_keyword(code.raw(i + 1))) {
                return argument_kind::parameters;
            }
            const bool pointer = code.is(i + 1, '*') || code.is(i + 1, '&');
            if (pointer && (code.is(i + 2, ',') || i + 2 == close)) {
                return argument_kind::parameters;
            }
        } else if (begins && (t.kind == number || t.kind == string || t.kind == character ||
                              t.kind == '&' || t.kind == '*' || t.kind == '(' || t.kind == '-' ||
                              t.kind == '!' || t.kind == '{')) {
            return argument_kind::expressions;
        }
        begins = t.kind == ',';
        if ((t.kind == '(' || t.kind == '[' || t.kind == '{') && t.link != no_token &&
            t.link < close) {
            i = t.link;
        }
    }
    return argument_kind::unknown;
}

// The parameter list is the last parenthesis that can be one, before a trailing return type or
// clause: parentheses before the name belong to attributes and macros. A literal shows that a
// parenthesis after the parameter list is a macro's (`k(float* x) BOUNDS(256)`).
std::uint32_t parameter_list(const token_stream& code, std::uint32_t head, std::uint32_t body) {
    std::uint32_t list = no_token;
    argument_kind list_kind = argument_kind::unknown;
    for (std::uint32_t i = head + 1; i < body; ++i) {
        const token& t = code.tokens[i];
        if (t.kind == pp_else || t.kind == pp_elif) {
            i = skip_other_branches(code, i, body);
        } else if (t.kind == arrow && list != no_token) {
            break;
        } else if (t.kind == word && list != no_token &&
                   is_one_of(code.raw(i), {"requires", "noexcept", "throw", "try"})) {
            break;
        } else if (t.kind == '[' && t.link != no_token) {
            i = std::min(t.link, body);
        } else if (t.kind == '(') {
            const std::uint32_t close = t.link == no_token ? body : std::min(t.link, body);
            const bool attribute = code.is(i - 1, word) && is_attribute(code.raw(i - 1));
            const argument_kind kind = classify_arguments(code, i, close);
            const bool trailing =
                kind == argument_kind::expressions && list_kind == argument_kind::parameters;
            if (!attribute && !trailing && i > head + 1) {
                list = i;
                list_kind = kind;
            }
            i = close;
        }
    }
    return list == no_token ? body : list;
}

std::string name_of_function(const token_stream& code, std::uint32_t head, std::uint32_t body) {
    std::uint32_t list = parameter_list(code, head, body);
    if (list == body) {  // a macro gave the parameters, and its first argument is the name
        if (list == head + 1) return "";
        if (code.is(head + 1, '(')) {
            std::uint32_t comma = head + 2;
            while (comma < body && !code.is(comma, ',') && !code.is(comma, ')')) ++comma;
            return name_of_expression(code, comma - 1, head + 2);
        }
    }
    std::uint32_t last = list - 1;
    const std::uint32_t floor = head + 1;
    std::string macro;
    while (last > floor && code.is(last, ')') && code.tokens[last].link != no_token &&
           code.tokens[last].link >= floor) {  // MACRO(name)(parameters)
        const std::uint32_t open = code.tokens[last].link;
        std::string inside = name_of_expression(code, last - 1, open + 1);
        if (!inside.empty()) return inside;
        last = open - 1;
    }
    return name_of_expression(code, last, floor);
}

}  // namespace cuset::syntax
