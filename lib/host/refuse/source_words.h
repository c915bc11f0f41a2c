// The words, numbers, strings and punctuation of a program's text, as a C++ compiler's first phases
// make them: in every branch of every conditional, in macros and directives, not in comments. Lines
// that a backslash goes on with are one line, and universal character names are what they name.
//
// The lexer of lib/syntax reads what is live; this one reads what a name may be hidden in.
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
    /// A string has what is between its quotes, with escapes read; punctuation is one character, or
    /// `##`.
    std::string text;
    bool begins_line = false;  ///< the first of its (logical) line

    bool is(std::string_view punctuation) const {
        return what == kind::punctuation && text == punctuation;
    }
    bool is_name(std::string_view name) const { return what == kind::name && text == name; }
};

/// Total, and linear in the length.
std::vector<source_word> source_words(std::string_view program);

}  // namespace cuset
