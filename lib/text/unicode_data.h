// The parts of the generated tables that NFC needs. Internal to lib/text.
#pragma once

#include <cstdint>
#include <optional>

namespace cuset::text {

/// Canonical combining class, 0 for most characters.
std::uint8_t combining_class(char32_t c);

struct canonical_pair {
    char32_t first;
    char32_t second;  ///< 0 where the character maps to one other
};

/// One level of canonical decomposition; Hangul syllables included.
std::optional<canonical_pair> decompose(char32_t c);

/// The primary composite of a pair; Hangul included.
std::optional<char32_t> compose(char32_t first, char32_t second);

}  // namespace cuset::text
