// Text that others wrote (programs, models, the authors of files), as a person may be shown it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cuset {

/// The character at text[at], and moves `at` behind it. A byte that begins no well-formed UTF-8 is
/// `ill_formed`, and `at` moves by one.
inline constexpr char32_t ill_formed = 0x110000;
char32_t next_character(std::string_view text, std::size_t& at);

/// Whether a character moves a cursor, gives a terminal an order, turns the direction of what
/// follows, ends a line, shows nothing at all, or is none: C0 and C1 controls, marks of direction,
/// U+2028 and U+2029, joiners, fillers, tags, surrogates, noncharacters, `ill_formed`. A blank is
/// none of these.
bool is_hidden(char32_t c);

/// The text in one line of well-formed UTF-8 that a terminal shows as it stands and that XML takes.
/// What is_hidden stands there as an escape of C's: \n, \t, \x1b, \u202e, \U000e0001; a byte of
/// ill-formed UTF-8 is \xff. A text that is visible stays as it is, backslashes too.
std::string visible_text(std::string_view text);

/// The first `most` bytes of a text at most, without half a character at the end.
std::string_view beginning_of(std::string_view text, std::size_t most);

}  // namespace cuset
