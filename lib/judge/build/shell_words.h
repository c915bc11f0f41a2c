// Command lines that a shell would run. Private to lib/judge.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"

namespace cuset {

/// A word of a command. In `text`, quotes are removed.
struct shell_word {
    std::string text;
    bool is_pattern = false;  ///< it has an unquoted *, ? or [
};

/// The words of one plain command, as POSIX' shell splits them. A data error names what only a
/// shell can do: "a pipe or list (&)", "an expansion ($)".
result<std::vector<shell_word>> shell_words(std::string_view command);

/// Whether a shell's pattern of *, ?, […] and other characters matches a path. None of them matches
/// a slash.
bool matches(std::string_view pattern, std::string_view path);

/// The word as a shell reads it back.
std::string shell_quoted(std::string_view word);

}  // namespace cuset
