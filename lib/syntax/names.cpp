#include "names.h"

#include <algorithm>
#include <array>
#include <optional>

namespace cuset::syntax {
namespace {

// Calls of these words are attributes before a parameter list; after it, they end the declarator.
bool is_attribute(std::string_view w) {
    return is_one_of(w, {"__launch_bounds__", "__cluster_dims__", "__maxnreg__", "__block_size__",
                         "__attribute__", "__declspec", "__align__", "alignas", "decltype",
                         "typeof", "__typeof__", "explicit", "asm", "__asm__", "sizeof",
                         "__grid_constant__", "amdgpu_flat_work_group_size"});
}

}  // namespace

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
        i = code.group_end(i, close);
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
        const bool trails =
            t.kind == arrow ||
            (t.kind == word && is_one_of(code.raw(i), {"requires", "noexcept", "throw", "try"}));
        if (list != no_token && trails) break;
        if (t.kind == pp_else || t.kind == pp_elif) {
            i = skip_other_branches(code, i, body);
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
    while (last > floor && code.is(last, ')')) {  // MACRO(name)(parameters)
        const std::uint32_t open = code.opener_of(last, floor);
        if (open == no_token) break;
        std::string inside = name_of_expression(code, last - 1, open + 1);
        if (!inside.empty()) return inside;
        last = open - 1;
    }
    return name_of_expression(code, last, floor);
}

}  // namespace cuset::syntax
