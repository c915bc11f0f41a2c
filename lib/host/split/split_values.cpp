#include "split_values.h"

#include <algorithm>
#include <string_view>

#include "split_statements.h"

namespace cuset {

using namespace syntax;

split_values::split_values(const cuda_program& program, const cuda_function& f,
                           const split_plan& plan, const kernel_words& words)
    : code_(program.code), f_(f), plan_(plan), words_(words) {
    for (const host_variable& v : program.variables)
        if (v.is_const && !v.is_array) const_variables_.insert(code_.spelling(v.name));
}

bool split_values::is_constant_word(const std::string& w) const {
    std::size_t left = 1024;  // macro tokens that may still be read: keeps hostile text linear
    return is_constant_word(w, 0, left);
}

bool split_values::is_constant_word(const std::string& w, std::size_t depth,
                                    std::size_t& left) const {
    if (depth > 8 || shared_.contains(w)) return false;
    if (is_arithmetic_type_word(w) || constants_.contains(w) ||
        is_one_of(w, {"sizeof", "true", "false", "warpSize", "static_cast"}))
        return true;
    bool is_macro = false;
    const auto [from, to] = words_.macros.equal_range(w);
    for (auto each = from; each != to; ++each) {
        const cuda_macro& m = *each->second;
        is_macro = true;
        if (m.is_function) return false;
        for (std::uint32_t i = m.replacement.first; i < m.replacement.end; ++i) {
            if (left == 0) return false;
            --left;
            if (code_.is(i, word) && !is_constant_word(code_.spelling(i), depth + 1, left))
                return false;
            if (code_.is(i, '=') || code_.is(i, '[') || code_.is(i, '.') || code_.is(i, arrow))
                return false;
        }
    }
    if (is_macro) return true;
    // A local of that name may hide the program's constant.
    if (std::ranges::any_of(plan_.variables, [&](const auto& v) { return v.name == w; }) ||
        std::ranges::find(plan_.parameters, w) != plan_.parameters.end())
        return false;
    return const_variables_.contains(w);
}

bool split_values::is_constant(token_range range) const {
    for (std::uint32_t i = range.first; i < range.end; ++i) {
        if (code_.is(i, '[') || code_.is(i, '.') || code_.is(i, arrow) || code_.is(i, scope) ||
            (code_.is(i, '=') && i != range.first))
            return false;
        if (!code_.is(i, word)) continue;
        const std::string w = code_.spelling(i);
        if (!is_free_word(code_, i) || !is_constant_word(w)) return false;
        if (code_.is(i + 1, '(') && !is_arithmetic_type_word(w) && w != "sizeof") return false;
    }
    return true;
}

bool split_values::is_pure(token_range range) const {
    bool operand = false;  // before this token
    for (std::uint32_t i = range.first; i < range.end; ++i) {
        const token& t = code_.tokens[i];
        switch (t.kind) {
            case number: operand = true; continue;
            case '(': operand = false; continue;
            case ')': operand = true; continue;
            case '+':
            case '-':
                if (is_step(code_, i)) return false;
                operand = false;
                continue;
            case '*':
            case '^':
            case '|':
            case '?':
            case ':':
            case comparison:
            case greater:
            case less:
                if (!operand) return false;
                if (t.kind == comparison && code_.raw(i).size() > 2) return false;  // <<=
                operand = false;
                continue;
            case '&':
                if (!operand && !(code_.is(i - 1, '&') && code_.touches_next(i - 1))) return false;
                operand = false;
                continue;
            case '~':
            case '!': operand = false; continue;
            case '/':
            case '%': {
                if (!operand || i + 1 >= range.end) return false;
                if (code_.is(i + 1, number)) {
                    if (code_.raw(i + 1).find_first_of("123456789") == std::string_view::npos)
                        return false;
                } else if (!code_.is_any_word(i + 1, {"blockDim", "gridDim"}) &&
                           !(is_free_word(code_, i + 1) &&
                             is_constant_word(code_.spelling(i + 1)))) {
                    return false;
                }
                operand = false;
                continue;
            }
            case word: break;
            default: return false;
        }
        const std::string w = code_.spelling(i);
        if (is_one_of(w, {"threadIdx", "blockIdx", "blockDim", "gridDim"})) {
            if (!code_.is(i + 1, '.') || !code_.is(i + 2, word) || i + 3 > range.end) return false;
            i += 2;
            operand = true;
            continue;
        }
        if (w == "sizeof") return false;
        if (w == "static_cast") {
            const std::uint32_t close = closing_angle(code_, i + 1, range.end);
            if (close == no_token) return false;
            for (std::uint32_t j = i + 2; j < close; ++j)
                if (!code_.is(j, word) || !is_arithmetic_type_word(code_.spelling(j))) return false;
            i = close;
            operand = false;
            continue;
        }
        if (is_arithmetic_type_word(w)) {
            operand = false;
            continue;
        }
        const std::uint32_t v = plan_.variable_at(code_, i);
        if (v != no_token) {
            if (plan_.variables[v].kept != split_variable::storage::recomputed) return false;
        } else if (!is_free_word(code_, i) || code_.is(i + 1, '(') ||
                   !(is_constant_word(w) || pure_parameters_.contains(w))) {
            return false;
        }
        operand = true;
    }
    return operand;
}

bool split_values::is_addressed(std::uint32_t i) const {
    return code_.is(i - 1, '&') && !(code_.is(i - 2, '&') && code_.touches_next(i - 2));
}

bool split_values::is_changed(std::uint32_t i) const {
    if (is_step(code_, i + 1)) return true;
    std::uint32_t before = i - 1;
    while (code_.is(before, '(') && before > f_.body.first) --before;  // ++(x)
    if (is_step(code_, before - 1)) return true;
    std::uint32_t j = i + 1;
    bool in_member = false;  // (x) = 1, s.x = 1, s.x[i] = 1; not p[i] = 1
    for (std::uint32_t from = no_token; j != from;) {
        from = j;
        while (code_.is(j, ')')) ++j;
        in_member |= code_.is(j, '.');
        if (in_member) j = after_parts(code_, j, f_.body.end, {'.', '['});
    }
    return is_assignment(code_, j);
}

}  // namespace cuset
