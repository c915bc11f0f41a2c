// Shifts and casts in device code, which a GPU does otherwise than the processor here
// (cuset_host/math/ptx_integers.h).
#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>

#include "rewriting.h"

namespace cuset {

using namespace syntax;

namespace {

constexpr std::uint32_t longest = 512;  // tokens of an operand: keeps hostile text linear

bool is_integer_type_word(std::string_view w) {
    constexpr std::string_view words[] = {"signed", "unsigned", "char", "short", "int", "long"};
    return is_one_of(w, words);
}

bool is_integer_name(std::string_view w) {
    constexpr std::string_view names[] = {"int8_t",  "uint8_t",   "int16_t", "uint16_t",
                                          "int32_t", "uint32_t",  "int64_t", "uint64_t",
                                          "size_t",  "ptrdiff_t", "ssize_t", "uint",
                                          "ushort",  "uchar",     "ulong",   "uintptr_t"};
    return is_one_of(w, names);
}

/// Functions of floating point whose results programs make integers of.
bool is_floating_function(std::string_view w) {
    constexpr std::string_view names[] = {
        "floor", "ceil", "round", "trunc", "rint", "nearbyint", "sqrt", "fabs", "fmin", "fmax",
        "log",   "log2", "log10", "exp",   "exp2", "pow",       "sin",  "cos",  "fma",  "fmod"};
    if (is_one_of(w, names)) return true;
    return w.ends_with('f') && is_one_of(w.substr(0, w.size() - 1), names);
}

class arithmetic_rewriter {
public:
    arithmetic_rewriter(const cuda_program& program, text_edits& edits)
        : program_(program), code_(program.code), edits_(edits) {
        read_names();
    }

    void write();

private:
    void read_names();
    void read_floats(std::uint32_t i);
    std::uint32_t after_type(std::uint32_t i, bool& is_parameter) const;
    bool is_small_count(std::uint32_t i) const;
    bool closes_arguments(std::uint32_t i) const;
    bool may_be_bit_field(std::uint32_t i) const;
    bool is_whole_macro(const std::string& name) const;
    std::uint32_t operand_end(std::uint32_t i) const;
    bool begins_cast(std::uint32_t i, std::uint32_t close, bool is_parameter) const;
    bool is_floating(token_range range) const;

    void look_at_shift(std::uint32_t i);
    void look_at_cast(std::uint32_t i);
    void look_at_named_cast(std::uint32_t i);
    void look_at_functional_cast(std::uint32_t i);
    void look_at_declaration(std::uint32_t i);

    std::string cast_to(std::uint32_t first, std::uint32_t end) const {
        return "::cuset_host::cast_to<" + source_of(code_, {first, end}) + '>';
    }

    const cuda_program& program_;
    const token_stream& code_;
    text_edits& edits_;
    std::unordered_set<std::string> type_parameters_, bit_fields_, floats_;
    bool is_packed_ = false;
    bool has_operators_[2] = {};  // of the program's own: `<<`, `>>` in device code
};

void arithmetic_rewriter::read_names() {
    for (std::uint32_t i = 0; i + 3 < code_.size(); ++i) {
        if (code_.is_any_word(i, {"typename", "class"}) && code_.is(i + 1, word) && i > 0 &&
            (code_.is(i - 1, less) || code_.is(i - 1, ',')) &&
            (code_.is(i + 2, ',') || code_.is(i + 2, greater) || code_.is(i + 2, '='))) {
            type_parameters_.insert(code_.spelling(i + 1));
        } else if (code_.is_any_word(i, {"float", "double"})) {
            read_floats(i + 1);
        } else if (code_.is(i, word) && code_.is(i + 1, ':') &&
                   (code_.is(i + 2, number) || code_.is(i + 2, word)) &&
                   (code_.is(i + 3, ';') || code_.is(i + 3, ','))) {
            bit_fields_.insert(code_.spelling(i));
        } else if (code_.is_word(i, "operator") && program_.runs_on_device(i + 3)) {
            for (std::uint32_t j = i + 1; j < i + 3; ++j) {
                has_operators_[0] |= code_.is(j, less) && code_.tokens[j].count == 2;
                has_operators_[1] |= code_.is(j, greater) && code_.tokens[j].count == 2;
            }
        }
        is_packed_ |= code_.is_any_word(i, {"packed", "__packed__"});
    }
}

/// `x = 1, *y` behind `float`.
void arithmetic_rewriter::read_floats(std::uint32_t i) {
    const std::uint32_t end = std::min(i + longest, code_.size());
    while (i < end) {
        while (code_.is(i, '*') || code_.is(i, '&') ||
               code_.is_any_word(i, {"const", "__restrict__", "volatile"}))
            ++i;
        if (!code_.is(i, word) || code_.is(i + 1, word)) return;
        floats_.insert(code_.spelling(i));
        for (++i; i < end && !code_.is(i, ','); i = code_.group_end(i, end) + 1)
            if (code_.is(i, ';') || code_.is_closer(i)) return;
        ++i;
    }
}

/// The token behind the integer type that begins at i; i if there is none. `is_parameter`: it is
/// one of a template.
std::uint32_t arithmetic_rewriter::after_type(std::uint32_t i, bool& is_parameter) const {
    is_parameter = false;
    std::uint32_t j = i;
    while (code_.is(j, word) && is_integer_type_word(code_.raw(j))) ++j;
    if (j != i) return j;
    if (code_.is(j, scope)) ++j;
    if (code_.is_word(j, "std") && code_.is(j + 1, scope)) j += 2;
    if (code_.is(j, word) && is_integer_name(code_.raw(j))) return j + 1;
    if (!code_.is(i, word) || !type_parameters_.contains(code_.spelling(i))) return i;
    is_parameter = true;
    return i + 1;
}

/// Whether the operand at i is a number below 32: the processor shifts as PTX does.
bool arithmetic_rewriter::is_small_count(std::uint32_t i) const {
    if (!code_.is(i, number)) return false;
    for (const char c : {'+', '-', '*', '/', '%'})
        if (code_.is(i + 1, static_cast<std::uint8_t>(c))) return false;
    std::string_view digits = code_.raw(i);
    while (!digits.empty() && std::string_view("uUlL").find(digits.back()) != digits.npos)
        digits.remove_suffix(1);
    if (digits.empty() || digits.size() > 2) return false;
    unsigned value = 0;
    for (const char c : digits) {
        if (c < '0' || c > '9') return false;
        value = 10 * value + static_cast<unsigned>(c - '0');
    }
    return value < 32;
}

/// Whether `>>` at i ends two lists of template arguments, as far as can be told.
bool arithmetic_rewriter::closes_arguments(std::uint32_t i) const {
    int open = 2;
    for (std::uint32_t j = i, left = longest; j > 0 && left > 0; --left) {
        --j;
        if (code_.is_closer(j)) {
            if (code_.tokens[j].link == no_token || code_.tokens[j].link > j) return true;
            j = code_.tokens[j].link;
        } else if (code_.is_opener(j) || code_.is(j, ';')) {
            return false;
        } else if (code_.is(j, greater)) {
            open += code_.tokens[j].count;
        } else if (code_.is(j, less) && code_.tokens[j].count == 1 && --open <= 0) {
            return true;
        }
    }
    return false;
}

/// What ends before token i: no reference may be bound to a bit-field.
bool arithmetic_rewriter::may_be_bit_field(std::uint32_t i) const {
    const bool is_name = code_.is(i - 1, word);
    return is_packed_ || !is_name || bit_fields_.contains(code_.spelling(i - 1));
}

void arithmetic_rewriter::look_at_shift(std::uint32_t i) {
    const std::string_view words = code_.raw(i);
    const bool is_left = words == "<<" || words == "<<=";
    const bool is_assigned = words == "<<=" || words == ">>=";
    if (!is_left && !is_assigned && words != ">>") return;
    if (has_operators_[is_left ? 0 : 1]) return;
    const bool has_left = code_.is(i - 1, word) || code_.is(i - 1, number) ||
                          code_.is(i - 1, character) || code_.is(i - 1, ')') ||
                          code_.is(i - 1, ']');
    const bool has_right = code_.is(i + 1, word) || code_.is(i + 1, number) ||
                           code_.is(i + 1, '(') || code_.is(i + 1, '-') || code_.is(i + 1, '~') ||
                           code_.is(i + 1, '*') || code_.is(i + 1, scope);
    if (!has_left || !has_right || code_.is_word(i - 1, "operator") || is_small_count(i + 1))
        return;
    if (is_assigned ? may_be_bit_field(i) && !code_.is(i - 1, ']')
                    : !is_left && closes_arguments(i))
        return;
    const std::uint32_t end = code_.tokens[i].end;
    edits_.offer({{end, end, " ::cuset_host::by_ptx " + std::string(words)}});
}

/// Whether a macro of the program, if it is one, stands for one operand.
bool arithmetic_rewriter::is_whole_macro(const std::string& name) const {
    if (!program_.macro_names.contains(name)) return true;
    for (const cuda_macro& m : program_.macros) {
        if (code_.spelling(m.name) != name) continue;
        const token_range r = m.replacement;
        const bool is_word = r.end == r.first + 1;
        const bool is_group =
            !r.empty() && code_.is(r.first, '(') && code_.group_end(r.first) + 1 == r.end;
        if (!is_word && !is_group) return false;
    }
    return true;
}

/// The token behind the operand of a cast that begins at i; no_token if that is not clear.
std::uint32_t arithmetic_rewriter::operand_end(std::uint32_t i) const {
    const std::uint32_t end = std::min(i + longest, code_.size());
    for (; i < end; ++i) {
        if (code_.is(i, '+') || code_.is(i, '-') || code_.is(i, '!') || code_.is(i, '~') ||
            code_.is(i, '*') || code_.is(i, '&'))
            continue;
        if (!code_.is(i, '(')) break;
        std::uint32_t j = i + 1;
        while (code_.is(j, word) &&
               (is_arithmetic_type_word(code_.raw(j)) || code_.is_word(j, "const")))
            ++j;
        while (code_.is(j, '*')) ++j;
        if (j == i + 1 || !code_.is(j, ')')) break;
        i = j;
    }
    if (i >= end) return no_token;
    if (code_.is(i, scope)) ++i;
    if (code_.is(i, '(')) {
        i = code_.closer_of(i, end);
        if (i == no_token) return no_token;
        ++i;
    } else if (code_.is(i, word)) {
        if (is_statement_keyword(code_.raw(i)) ||
            code_.is_any_word(i, {"alignof", "decltype", "defined", "const", "noexcept", "override",
                                  "final", "volatile", "mutable", "requires", "try"}) ||
            !is_whole_macro(code_.spelling(i)))
            return no_token;
        ++i;
    } else if (code_.is(i, number) || code_.is(i, character)) {
        ++i;
    } else {
        return no_token;
    }
    for (;;) {
        i = after_parts(code_, i, end, {'(', '[', '.', arrow, scope});
        const std::uint32_t close =
            may_open_angle(code_, i) ? closing_angle(code_, i, end) : no_token;
        if (close == no_token || code_.tokens[close].count != 1 ||
            !(code_.is(close + 1, '(') || code_.is(close + 1, scope)))
            break;
        i = close + 1;
    }
    if (is_step(code_, i)) i += 2;
    const bool is_cut = code_.is(i, '{') || code_.is(i, word) || code_.is(i, number) ||
                        code_.is(i, string) || code_.is(i, paste) || i >= end;
    return is_cut ? no_token : i;
}

/// Whether the parenthesis at i, with a type inside, is a cast of what follows.
bool arithmetic_rewriter::begins_cast(std::uint32_t i, std::uint32_t close,
                                      bool is_parameter) const {
    if (code_.is(i - 1, word) ? !code_.is_any_word(i - 1, {"return", "case", "else", "do"})
                              : code_.is(i - 1, ']') || code_.is(i - 1, string))
        return false;
    const std::uint32_t next = close + 1;
    if (code_.is(next, word) || code_.is(next, '(') || code_.is(next, scope)) return true;
    const bool is_sign = code_.is(next, '-') || code_.is(next, '+') || code_.is(next, '*');
    return is_sign ? !is_parameter : code_.is(next, number);
}

void arithmetic_rewriter::look_at_cast(std::uint32_t i) {
    bool is_parameter = false;
    const std::uint32_t close = after_type(i + 1, is_parameter);
    if (close == i + 1 || !code_.is(close, ')') || !begins_cast(i, close, is_parameter)) return;
    const std::uint32_t end = operand_end(close + 1);
    if (end == no_token || (end == close + 2 && code_.is(close + 1, number))) return;
    edits_.offer({{code_.tokens[i].begin, code_.tokens[close].end, cast_to(i + 1, close) + '('},
                  {code_.tokens[end - 1].end, code_.tokens[end - 1].end, ")"}});
}

void arithmetic_rewriter::look_at_named_cast(std::uint32_t i) {
    bool is_parameter = false;
    const std::uint32_t close = after_type(i + 2, is_parameter);
    if (close == i + 2 || !code_.is(close, greater) || code_.tokens[close].count != 1 ||
        !code_.is(close + 1, '('))
        return;
    if (code_.is(close + 2, number) && code_.is(close + 3, ')')) return;
    edits_.offer({{code_.tokens[i].begin, code_.tokens[close].end, cast_to(i + 2, close)}});
}

void arithmetic_rewriter::look_at_functional_cast(std::uint32_t i) {
    bool is_parameter = false;
    const std::uint32_t open = after_type(i, is_parameter);
    if (open == i || !code_.is(open, '(') || code_.is(open + 1, ')') ||
        code_.tokens[open].link == no_token)
        return;
    const std::uint8_t before = code_.tokens[i - 1].kind;
    const bool is_operand = code_.is_any_word(i - 1, {"return"}) || before == comparison ||
                            std::string_view("=(,+-*/%&|^[?:!~").find(static_cast<char>(before)) !=
                                std::string_view::npos;
    if (before == word ? !code_.is_word(i - 1, "return") : !is_operand) return;
    const std::uint32_t close = code_.tokens[open].link;
    // A pointer's declarator, parameters, or several arguments.
    if (code_.is(open + 1, '*') || code_.is(open + 1, '&') ||
        split_at_commas(code_, {open, close + 1}).size() != 1 ||
        (code_.is(open + 1, number) && open + 2 == close))
        return;
    if (code_.is(open + 1, word) &&
        (is_arithmetic_type_word(code_.raw(open + 1)) && !code_.is(open + 2, '(')))
        return;
    for (std::uint32_t j = open; j + 2 < close; ++j)
        if (code_.is(j, '.') && code_.is(j + 1, '.')) return;  // a pack
    edits_.offer({{code_.tokens[i].begin, code_.tokens[open - 1].end, cast_to(i, open)}});
}

bool arithmetic_rewriter::is_floating(token_range range) const {
    for (std::uint32_t i = range.first; i < range.end; ++i) {
        if (code_.is(i, number)) {
            const std::string_view digits = code_.raw(i);
            if (digits.find('.') != digits.npos) return true;
        } else if (code_.is_any_word(i, {"threadIdx", "blockIdx", "blockDim", "gridDim"})) {
            i += 2;  // not a float named x
        } else if (code_.is(i, word)) {
            if (floats_.contains(code_.spelling(i)) || is_floating_function(code_.raw(i)) ||
                code_.is_any_word(i, {"float", "double"}))
                return true;
        }
    }
    return false;
}

/// `int i = x * scale, j = y;`: with_ptx_conversions() would find them too, but g++ then runs
/// twice.
void arithmetic_rewriter::look_at_declaration(std::uint32_t i) {
    bool is_parameter = false;
    std::uint32_t name = after_type(i, is_parameter);
    if (name == i || is_parameter) return;
    while (code_.is(name, word) && code_.is(name + 1, '=')) {
        const std::uint32_t first = name + 2;
        std::uint32_t end = first;
        for (; end < std::min(first + longest, code_.size()); ++end) {
            if (code_.is(end, ';') || code_.is(end, ',') || code_.is_closer(end)) break;
            if (may_open_angle(code_, end)) {
                const std::uint32_t close = closing_angle(code_, end, first + longest);
                if (close != no_token && code_.is(close + 1, '(')) end = close;
            } else {
                end = code_.group_end(end);
            }
        }
        if (end == first || code_.is(first, '{') || !(code_.is(end, ';') || code_.is(end, ',')))
            return;
        if (is_floating({first, end}))
            edits_.offer({{code_.tokens[first].begin, code_.tokens[first].begin,
                           cast_to(i, after_type(i, is_parameter)) + '('},
                          {code_.tokens[end - 1].end, code_.tokens[end - 1].end, ")"}});
        if (!code_.is(end, ',')) return;
        name = end + 1;
    }
}

void arithmetic_rewriter::write() {
    for (std::uint32_t i = 1; i + 1 < code_.size(); ++i) {
        if (code_.is(i, define)) {
            i = code_.tokens[i].link;
            continue;
        }
        // Types of parameters must stay the same in each declaration.
        if (!program_.runs_on_device(i) ||
            i < program_.functions[program_.function_of[i]].body.first)
            continue;
        if (code_.is(i, less) || code_.is(i, greater) || code_.is(i, comparison)) {
            look_at_shift(i);
        } else if (code_.is(i, '(')) {
            look_at_cast(i);
        } else if (code_.is_word(i, "static_cast") && code_.is(i + 1, less)) {
            look_at_named_cast(i);
        } else if (code_.is(i, word)) {
            look_at_functional_cast(i);
            if (!(is_integer_type_word(code_.raw(i)) && is_integer_type_word(code_.raw(i - 1))))
                look_at_declaration(i);
        }
    }
}

}  // namespace

void rewrite_device_arithmetic(const cuda_program& program, text_edits& edits) {
    arithmetic_rewriter(program, edits).write();
}

}  // namespace cuset
