#include "build/shell_words.h"

#include <fnmatch.h>

#include <string>

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

bool matches(std::string_view pattern, std::string_view path) {
    // The words have lost their quotes: a backslash that is left stands for itself.
    return ::fnmatch(std::string(pattern).c_str(), std::string(path).c_str(),
                     FNM_PATHNAME | FNM_NOESCAPE) == 0;
}

std::string shell_quoted(std::string_view word) {
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + '\'';
}

}  // namespace cuset
