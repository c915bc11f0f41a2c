// The words, numbers, strings and punctuation of a program's text, as the first phases of a C++
// compiler make them: in every branch of every conditional, in macros and directives, not in
// comments. Lines joined by a backslash are one line, and universal character names are decoded.
//
// The lexer of lib/syntax reads only live text; this one also reads text that may hide a name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cuset {

struct source_word {
    enum class kind : unsigned char { name, number, string, punctuation };
    kind what;
    std::uint32_t line;  ///< from 1
    /// For a string the text between its quotes, with escapes decoded; punctuation is one
    /// character, or `##`.
    std::string text;
    bool begins_line = false;  ///< the first of its logical line

    bool is(std::string_view punctuation) const {
        return what == kind::punctuation && text == punctuation;
    }
    bool is_name(std::string_view name) const { return what == kind::name && text == name; }
};

/// Accepts any text, in time linear in its length.
std::vector<source_word> source_words(std::string_view program);

}  // namespace cuset
