#include "cuset/syntax/declaration.h"

#include <algorithm>
#include <optional>

#include "cuset/syntax/expression.h"

namespace cuset::syntax {
namespace {

// Longer than any declaration, in tokens: keeps hostile text linear.
constexpr std::uint32_t longest = 2048;
// The same limit for the tokens before a specifier.
constexpr std::uint32_t longest_before = 256;

constexpr std::string_view arithmetic_words[] = {
    "bool",    "char",     "double",   "float",    "int",      "long",    "short",
    "signed",  "unsigned", "size_t",   "int8_t",   "int16_t",  "int32_t", "int64_t",
    "uint8_t", "uint16_t", "uint32_t", "uint64_t", "uint",     "uchar",   "ushort",
    "ulong",   "char16_t", "char32_t", "wchar_t",  "ptrdiff_t"};
constexpr std::string_view attribute_words[] = {
    "__launch_bounds__", "__cluster_dims__", "__maxnreg__", "__attribute__", "__declspec",
    "__align__",         "alignas",          "decltype",    "__typeof__"};
constexpr std::string_view pointer_words[] = {"const", "volatile", "__restrict__", "__restrict"};
constexpr std::string_view compound_words[] = {"struct", "union", "class", "enum"};

class reader {
public:
    reader(const token_stream& code, token_range range) : code_(code), range_(range) {}

    std::optional<declarator> read(std::uint32_t from, bool after_type) const;

private:
    std::optional<std::uint32_t> find_name(declarator& out, std::uint32_t from,
                                           bool after_type) const;
    bool take_name(declarator& out, std::uint32_t last, std::uint32_t floor) const;
    std::optional<std::uint32_t> take_name_before(declarator& out, std::uint32_t i,
                                                  std::uint32_t from) const;
    bool is_parenthesised(std::uint32_t open, std::uint32_t from) const;
    std::uint32_t initialiser_end(std::uint32_t i) const;
    template <std::size_t n>
    bool is_word_of(const std::string_view (&words)[n], std::uint32_t i, std::uint32_t from) const {
        return i >= from && code_.is(i, word) && is_one_of(code_.raw(i), words);
    }
    /// The token after the bracket that the one at i opens; no_token if the range has none.
    std::uint32_t behind(std::uint32_t i) const {
        const std::uint32_t close = code_.closer_of(i, range_.end);
        return close == no_token ? no_token : close + 1;
    }

    const token_stream& code_;
    token_range range_;
};

// The name that ends at `last`, with the words pasted to it.
bool reader::take_name(declarator& out, std::uint32_t last, std::uint32_t floor) const {
    if (last < floor || last >= range_.end) return false;
    const bool is_pasted = code_.is(last, number) && last > floor && code_.is(last - 1, paste);
    if (!code_.is(last, word) && !is_pasted) return false;
    std::uint32_t first = last;
    while (first >= floor + 2 && code_.is(first - 1, paste)) first -= 2;
    out.name = {first, last + 1};
    return true;
}

// Takes the name before token i and before attributes. Returns the token after the name.
std::optional<std::uint32_t> reader::take_name_before(declarator& out, std::uint32_t i,
                                                      std::uint32_t from) const {
    while (i > from && code_.is(i - 1, ')') && code_.tokens[i - 1].link != no_token &&
           is_word_of(attribute_words, code_.tokens[i - 1].link - 1, from))
        i = code_.tokens[i - 1].link - 1;
    if (i <= from || !take_name(out, i - 1, from)) return std::nullopt;
    return i;
}

// Whether `(` begins a declarator such as `(*p)[4]`, not a constructor's arguments `a(*p)`.
bool reader::is_parenthesised(std::uint32_t open, std::uint32_t from) const {
    if (!code_.is(open + 1, '*') && !code_.is(open + 1, '(') && !code_.is(open + 1, '&'))
        return false;
    const std::uint32_t after = behind(open);
    return open == from || code_.is(after, '[') || code_.is(after, '(') ||
           !code_.is(open - 1, word) || is_arithmetic_type_word(code_.raw(open - 1));
}

// The name is the last word before a token that ends names. Returns the token to continue at.
std::optional<std::uint32_t> reader::find_name(declarator& out, std::uint32_t from,
                                               bool after_type) const {
    for (std::uint32_t i = from; i < range_.end;) {
        switch (code_.tokens[i].kind) {
            case word:
            case number:
            case paste:
            case scope:
            case '*':
            case '&': ++i; break;
            case less: {
                const std::uint32_t close =
                    may_open_angle(code_, i) ? closing_angle(code_, i, range_.end) : no_token;
                if (close == no_token) return std::nullopt;
                i = close + 1;
                break;
            }
            case '(': {
                const std::uint32_t after = behind(i);
                const bool is_attribute = after != no_token && i > from && code_.is(i - 1, word) &&
                                          (takes_attribute_arguments(code_.raw(i - 1)) ||
                                           (after < range_.end && code_.is(after, word)));
                if (is_attribute) {
                    i = after;
                    break;
                }
                if (after == no_token || !is_parenthesised(i, from))
                    return take_name_before(out, i, from);
                std::uint32_t last = i + 1;
                while (code_.is(last, '*') || code_.is(last, '(') || code_.is(last, '&')) ++last;
                if (!take_name(out, last, last)) return std::nullopt;
                out.all.first = i;
                return after;
            }
            case '{': {
                const bool is_compound = after_type && (is_word_of(compound_words, i - 1, from) ||
                                                        is_word_of(compound_words, i - 2, from));
                if (is_compound) {
                    i = behind(i);
                    if (i == no_token) return std::nullopt;
                    break;
                }
                [[fallthrough]];
            }
            case '[':
            case '=':
            case ',': return take_name_before(out, i, from);
            default: return std::nullopt;
        }
    }
    return take_name_before(out, range_.end, from);
}

// The comma after the initialiser at i, or the end; no_token if a bracket in it stays open.
std::uint32_t reader::initialiser_end(std::uint32_t i) const {
    while (i < range_.end && !code_.is(i, ',')) {
        if (code_.is_opener(i)) {
            i = behind(i);
            if (i == no_token) return no_token;
            continue;
        }
        if (may_open_angle(code_, i)) {
            // `f<1, 2>(x)`. In most programs a comparison has no comma before its `>`.
            const std::uint32_t close = closing_angle(code_, i, range_.end);
            if (close != no_token && (code_.is(close + 1, '(') || code_.is(close + 1, scope)))
                i = close;
        }
        ++i;
    }
    return i;
}

std::optional<declarator> reader::read(std::uint32_t from, bool after_type) const {
    declarator out;
    out.all.first = no_token;
    const auto found = find_name(out, from, after_type);
    if (!found) return std::nullopt;
    std::uint32_t i = *found;
    if (out.all.first == no_token) {
        out.all.first = out.name.first;
        for (std::uint32_t before = out.name.first; before > from; --before) {
            const bool is_star = code_.is(before - 1, '*') || code_.is(before - 1, '&');
            if (!is_star && !is_word_of(pointer_words, before - 1, from)) break;
            if (is_star || before - 1 == from) out.all.first = before - 1;
        }
    }
    // Only the first declarator has a type before it.
    if (after_type == (out.all.first == from)) return std::nullopt;
    out.extents = {i, i};
    for (; i < range_.end && code_.is(i, '['); out.extents.end = i) {
        i = behind(i);
        if (i == no_token) return std::nullopt;
    }
    const bool is_plain = !code_.is(out.all.first, '(');
    while (i < range_.end && !code_.is(i, ',') && !code_.is(i, '=') && !code_.is(i, '{')) {
        const bool is_attribute = code_.is(i - 1, word) && i != out.name.end;
        if (code_.is(i, '(') && is_plain && !is_attribute) break;
        if (code_.is_opener(i)) {  // parameters, or arguments of an attribute
            i = behind(i);
            if (i == no_token) return std::nullopt;
        } else if (code_.is(i, word)) {
            ++i;
        } else {
            return std::nullopt;
        }
    }
    out.all.end = i;
    out.initialiser = {i, initialiser_end(i)};
    return out;
}

}  // namespace

declaration read_declaration(const token_stream& code, token_range range) {
    declaration d;
    d.all = range;
    const reader reading(code, range);
    for (std::uint32_t from = range.first; from < range.end;) {
        const auto next = reading.read(from, d.declarators.empty());
        d.is_partial = !next;
        if (!next) break;
        if (d.declarators.empty()) d.type = {range.first, next->all.first};
        d.declarators.push_back(*next);
        std::uint32_t& end = d.declarators.back().initialiser.end;
        d.is_partial = end == no_token;
        if (d.is_partial) end = range.end;
        from = end + 1;
    }
    return d;
}

std::uint32_t declaration_start(const token_stream& code, std::uint32_t at, std::uint32_t floor) {
    floor = std::max(floor, at - std::min(at, longest_before));
    std::uint32_t first = at;
    while (first > floor) {
        const std::uint32_t before = first - 1;
        switch (code.tokens[before].kind) {
            case word:
                if (is_statement_keyword(code.raw(before))) return first;
                first = before;
                break;
            case scope:
            case '*': first = before; break;
            case greater: {
                const std::uint32_t open = part_start(code, before, floor);
                if (open == no_token) return first;
                first = open;
                break;
            }
            case string:  // extern "C"
                if (before == floor || !code.is_word(before - 1, "extern")) return first;
                first = before - 1;
                break;
            case ')': {
                const std::uint32_t open = code.opener_of(before, floor + 1);
                if (open == no_token || !code.is(open - 1, word) ||
                    !takes_attribute_arguments(code.raw(open - 1))) {
                    return first;
                }
                first = open - 1;
                break;
            }
            default: return first;
        }
    }
    return first;
}

declaration_end find_declaration_end(const token_stream& code, std::uint32_t at,
                                     std::uint32_t limit) {
    using enum declaration_end::kind;
    bool has_value = false;
    std::uint32_t steps = 0;
    for (std::uint32_t i = at + 1; i < limit; ++i) {
        if (++steps == longest) return {far, limit};
        const token& t = code.tokens[i];
        if (t.kind == ';') return {semicolon, i};
        if (t.kind == define || t.kind >= pp_if) return {directive, i};
        if (code.is_closer(i)) return {broken, i};
        if (t.kind == '=') has_value = true;
        const bool is_body = t.kind == '{' && !has_value && code.is(i - 1, ')');
        if (code.is_opener(i)) {
            if (is_body || code.closer_of(i, limit) == no_token) return {broken, i};
            i = t.link;
        }
    }
    return {cut_off, limit};
}

bool is_arithmetic_type_word(std::string_view w) { return is_one_of(w, arithmetic_words); }

bool takes_attribute_arguments(std::string_view w) { return is_one_of(w, attribute_words); }

}  // namespace cuset::syntax
