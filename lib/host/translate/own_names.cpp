#include "translate/own_names.h"

#include "translate/hip_table.h"

namespace cuset {

using namespace syntax;

namespace {

constexpr std::uint32_t longest = 64;  // tokens of a declaration: keeps hostile text linear

/// Words that stand before an expression or a name that is not declared there.
bool is_no_type(const token_stream& code, std::uint32_t i) {
    return code.is_any_word(
        i, {"return",  "else",     "do",      "case",      "goto",     "new",      "delete",
            "throw",   "sizeof",   "alignof", "co_return", "co_yield", "co_await", "and",
            "or",      "not",      "xor",     "operator",  "public",   "private",  "protected",
            "virtual", "decltype", "typeid",  "noexcept",  "requires", "defined"});
}

/// Whether a type's name may begin a declaration in parentheses, where an expression is as likely.
bool is_surely_type(const token_stream& code, std::uint32_t i) {
    return code.is_any_word(i, {"const", "volatile", "unsigned", "signed", "char", "short", "int",
                                "long", "float", "double", "bool", "void", "auto", "struct",
                                "class", "enum", "size_t"}) ||
           code.raw(i).ends_with("_t");
}

/// Whether the tokens before i are the beginning of a declaration: a type, and perhaps other names
/// behind it, `int a = f(1, 2), *` before the name at i.
bool follows_type(const token_stream& code, std::uint32_t i) {
    std::uint32_t first = i;
    for (; first > 0 && i - first < longest; --first) {
        const std::uint32_t at = first - 1;
        if (code.is_closer(at) && code.tokens[at].link < at && !code.is(at, '}')) {
            first = code.tokens[at].link + 1;
            continue;
        }
        if (code.is(at, ';') || code.is(at, '{') || code.is(at, '}') || code.is(at, '(') ||
            code.is(at, define) || code.is(at, define_end) || code.is(at, '[') ||
            code.tokens[at].kind >= pp_if)
            break;
    }
    if (first >= i || i - first >= longest) return false;
    std::uint32_t last = i;  // the beginning of what is behind the last comma
    while (last > first && !code.is(last - 1, ',') && !code.is(last - 1, '=')) --last;
    if (last > first && code.is(last - 1, '=')) return false;  // `int a = b * name`
    if (first > 0 && (code.is(first - 1, define) || code.is(first - 1, '['))) return false;
    if (first > 0 && code.is(first - 1, '(')) return last < i && is_surely_type(code, last);
    // `f(a), name` and `a.b = 1, name` declare nothing.
    return code.is(first, word) && !is_no_type(code, first) &&
           (code.is(first + 1, word) || code.is(first + 1, '*') || code.is(first + 1, '&') ||
            code.is(first + 1, scope) || code.is(first + 1, less));
}

bool ends_declarator(const token_stream& code, std::uint32_t i) {
    for (const char each : {';', '=', ',', ')', '[', '{', '(', ':'})
        if (code.is(i, static_cast<std::uint8_t>(each))) return true;
    return code.is(i, greater);
}

bool declares(const token_stream& code, std::uint32_t i) {
    if (i == 0 || !ends_declarator(code, i + 1)) return false;
    const std::uint32_t before = i - 1;
    if (code.is(before, word)) {
        if (is_no_type(code, before) || (before > 0 && code.is(before - 1, define))) return false;
        const bool names_space = code.is_word(before, "namespace");
        return !names_space || code.is(i + 1, '{') || code.is(i + 1, '=');
    }
    if (code.is(before, '*') && before > 0 && code.is(before - 1, '(') && code.is(i + 1, ')') &&
        code.is(i + 2, '('))
        return true;  // void (*name)(int)
    if (code.is(before, '*') || code.is(before, '&') || code.is(before, ',') ||
        code.is(before, greater))
        return follows_type(code, i);
    return false;
}

/// The enumerators between the braces of an enum whose first word is at i.
void add_enumerators(const token_stream& code, std::uint32_t i,
                     std::unordered_set<std::string>& names) {
    std::uint32_t open = i + 1;
    while (open < code.size() && open - i < longest && !code.is(open, '{') && !code.is(open, ';') &&
           !code.is(open, ')'))
        ++open;
    const std::uint32_t close = code.is(open, '{') ? code.closer_of(open) : no_token;
    if (close == no_token) return;
    bool is_next = true;
    for (std::uint32_t at = open + 1; at < close; ++at) {
        if (is_next && code.is(at, word)) {
            if (std::string name = code.spelling(at); hip_names::looks_like_cuda(name))
                names.insert(std::move(name));
            is_next = false;
        }
        if (code.is(at, ',')) is_next = true;
        at = code.group_end(at, close);
    }
}

}  // namespace

std::unordered_set<std::string> declared_like_cuda(const token_stream& code) {
    std::unordered_set<std::string> names;
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        if (!code.is(i, word)) continue;
        if (code.is_word(i, "enum")) add_enumerators(code, i, names);
        std::string name = code.spelling(i);
        if ((hip_names::looks_like_cuda(name) || hip_names::is_of_cuda(name)) && declares(code, i))
            names.insert(std::move(name));
    }
    return names;
}

}  // namespace cuset
