#include "build/shell_words.h"

#include <cctype>

namespace cuset {

namespace {

/// What an unquoted character asks of a shell; null if it is a plain one.
const char* feature_of(char c, bool begins_word) {
    switch (c) {
        case ';':
        case '&':
        case '|':
        case '\n':
        case '(':
        case ')': return "a list of commands";
        case '<':
        case '>': return "a redirection";
        case '$':
        case '`': return "an expansion";
        case '~': return begins_word ? "a home folder" : nullptr;
        case '#': return begins_word ? "a comment" : nullptr;
        default: return nullptr;
    }
}

status needs_shell(const char* feature, char c) {
    std::string sign = c == '\n' ? "a new line" : std::string(1, c);
    return data_error(std::string(feature) + " (" + sign + ')');
}

}  // namespace

result<std::vector<shell_word>> shell_words(std::string_view command) {
    std::vector<shell_word> words;
    bool in_word = false;
    char quote = 0;
    const std::size_t last = command.find_last_not_of(" \t\r\n");
    command = command.substr(0, last == command.npos ? 0 : last + 1);
    const auto add = [&](char c) { words.back().text += c; };
    for (std::size_t i = 0; i < command.size(); ++i) {
        const char c = command[i];
        const bool is_blank = c == ' ' || c == '\t' || c == '\r';
        if (quote == 0 && is_blank) {
            in_word = false;
            continue;
        }
        if (c == '\\' && quote != '\'' && i + 1 < command.size() && command[i + 1] == '\n') {
            ++i;  // a line that goes on
            continue;
        }
        if (quote == 0)
            if (const char* feature = feature_of(c, !in_word)) return needs_shell(feature, c);
        if (!in_word) words.emplace_back();
        in_word = true;
        if (quote == 0 && (c == '\'' || c == '"')) {
            quote = c;
        } else if (quote != 0 && c == quote) {
            quote = 0;
        } else if (quote == '"' && (c == '$' || c == '`')) {
            return needs_shell("an expansion", c);
        } else if (c == '\\' && quote != '\'') {
            if (i + 1 == command.size()) return data_error("a backslash at its end");
            const char next = command[++i];
            if (quote == '"' && next != '"' && next != '\\' && next != '$' && next != '`') add(c);
            add(next);
        } else {
            if (quote == 0 && (c == '*' || c == '?' || c == '[')) words.back().is_pattern = true;
            add(c);
        }
    }
    if (quote != 0) return data_error("a quote that is not closed");
    return words;
}

namespace {

/// Where the `[…]` at p ends; p itself if nothing closes it, and the sign stands for itself.
std::size_t end_of_set(std::string_view pattern, std::size_t p) {
    std::size_t at = p + 1;
    if (at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^')) ++at;
    if (at < pattern.size() && pattern[at] == ']') ++at;  // one of the set
    for (; at < pattern.size() && pattern[at] != ']' && pattern[at] != '/'; ++at) {
        if (pattern.substr(at, 2) != "[:") continue;
        const std::size_t end = pattern.find(":]", at + 2);
        if (end != pattern.npos) at = end + 1;
    }
    return at < pattern.size() && pattern[at] == ']' ? at + 1 : p;
}

bool is_of_class(std::string_view name, char c) {
    const auto byte = static_cast<unsigned char>(c);
    if (name == "digit") return std::isdigit(byte) != 0;
    if (name == "alpha") return std::isalpha(byte) != 0;
    if (name == "alnum") return std::isalnum(byte) != 0;
    if (name == "lower") return std::islower(byte) != 0;
    if (name == "upper") return std::isupper(byte) != 0;
    if (name == "xdigit") return std::isxdigit(byte) != 0;
    if (name == "punct") return std::ispunct(byte) != 0;
    return name == "space" && std::isspace(byte) != 0;
}

/// `set` is the text between the brackets.
bool is_in_set(std::string_view set, char c) {
    const bool is_negated = set.starts_with('!') || set.starts_with('^');
    if (is_negated) set.remove_prefix(1);
    bool found = false;
    for (std::size_t i = 0; i < set.size(); ++i) {
        const std::size_t end = set.substr(i, 2) == "[:" ? set.find(":]", i + 2) : set.npos;
        if (end != set.npos) {
            found |= is_of_class(set.substr(i + 2, end - i - 2), c);
            i = end + 1;
        } else if (i + 2 < set.size() && set[i + 1] == '-') {
            found |= set[i] <= c && c <= set[i + 2];
            i += 2;
        } else {
            found |= set[i] == c;
        }
    }
    return found != is_negated;
}

/// Where a pattern goes on behind the sign at p, if this stands for c; else p.
std::size_t behind_one(std::string_view pattern, std::size_t p, char c) {
    if (p == pattern.size()) return p;
    if (pattern[p] == '?') return c == '/' ? p : p + 1;
    const std::size_t end = pattern[p] == '[' ? end_of_set(pattern, p) : p;
    if (end == p) return pattern[p] == c ? p + 1 : p;
    return c != '/' && is_in_set(pattern.substr(p + 1, end - p - 2), c) ? end : p;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view path) {
    // The place to go back to, if what follows the last star does not match.
    std::size_t at = 0, star = pattern.npos, from = 0, p = 0;
    while (at < path.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            from = at;
        } else if (const std::size_t next = behind_one(pattern, p, path[at]); next != p) {
            p = next;
            ++at;
        } else if (star != pattern.npos && path[from] != '/') {
            p = star + 1;
            at = ++from;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

std::string shell_quoted(std::string_view word) {
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + '\'';
}

}  // namespace cuset
