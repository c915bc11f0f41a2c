// Finds the ends of comments, literals and preprocessor lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cuset/syntax/lexer.h"

namespace cuset::syntax {

/// `p` is at a quote. Returns the position after the closing quote, or the newline if the line ends
/// first (C++ says so, and an apostrophe in dead text must not swallow the file).
const char* end_of_quoted(const char* p, const char* end);

/// `p` is at the quote of a raw string. If C++ does not allow the delimiter, the literal is read as
/// an ordinary one.
const char* end_of_raw_string(const char* p, const char* end);

/// `p` is at a slash. Returns the position after the comment that begins there, or `p` if none
/// does. A line comment ends at its newline, which is not part of it.
const char* end_of_comment(const char* p, const char* end);

pp_keyword directive_keyword(std::string_view name);

/// Reads the word after a # into `name`, without splices; returns the position after it.
const char* read_directive_name(const char* p, const char* end, std::string& name);

/// Reads to the end of the directive into `rest`, without comments, splices and needless blanks;
/// returns the position of the newline (or `end`).
const char* read_directive_rest(const char* p, const char* end, std::string& rest);

/// Names a condition so that equal conditions and their negations are recognised: `#ifdef X`, `#if
/// defined(X)` and `#if defined X` are one condition, and `#ifndef X` is its negation. The lowest
/// bit means "not"; the rest is a hash, and never that of always_true.
std::uint32_t condition_hash(pp_keyword keyword, std::string_view condition);

}  // namespace cuset::syntax
