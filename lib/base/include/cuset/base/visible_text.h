// Makes text that others wrote (programs, models, authors of files) safe to show to a person.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cuset {

/// Returns the character at text[at] and moves `at` past it. A byte that begins no well-formed
/// UTF-8 gives `ill_formed`, and `at` moves by one.
inline constexpr char32_t ill_formed = 0x110000;
char32_t next_character(std::string_view text, std::size_t& at);

/// Appends a character as UTF-8.
void append_utf8(char32_t c, std::string& out);

/// Whether a character moves a cursor, gives a terminal a command, changes the direction of text,
/// ends a line, shows nothing, or is no character: C0 and C1 controls, marks of direction, U+2028
/// and U+2029, joiners, fillers, tags, surrogates, noncharacters, `ill_formed`. A blank is none of
/// these.
bool is_hidden(char32_t c);

/// The text in one line of well-formed UTF-8 that a terminal shows unchanged and that XML accepts.
/// Characters that is_hidden() names become escapes as in C: \n, \t, \x1b, \u202e, \U000e0001; a
/// byte of ill-formed UTF-8 is \xff. Visible text stays as it is, backslashes included.
std::string visible_text(std::string_view text);

/// The same for a text of several lines: its newlines stay.
std::string visible_lines(std::string_view text);

/// At most the first `most` bytes of a text, without half a character at the end.
std::string_view beginning_of(std::string_view text, std::size_t most);

}  // namespace cuset
