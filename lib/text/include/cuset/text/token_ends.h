// Where tokens end in a text, if all that is known of a token is the text that a server shows for
// it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"

namespace cuset {

/// What may stand behind the tokens of a text.
enum class tokens_behind : unsigned char {
    one_made,  ///< at most one token, which the server made: any bytes
    a_tail,    ///< tokens that a template put there: their text begins with a whole character
};

/// Finds the byte of `text` at which each token ends. The tokens spell the whole text, in order;
/// those behind it are left out: the result has as many ends as tokens spell the text.
///
/// A token that holds a part of a character cannot be shown as text. Servers show it as U+FFFD
/// (one for each byte in the middle of a character, one for all bytes that begin one), as
/// "bytes:\xe2\x80", or not at all, and the whole character with its last token: then the earlier
/// ones end where it begins. Some show every token in the alphabet of byte-level vocabularies
/// ("Ġthe"), or a byte as <0xE2>. All of that is read.
///
/// Nothing as the first token's text means that the server left it out: it may be any beginning of
/// the text.
///
/// A data error names the first token that is not what the text goes on with, says that the tokens
/// end before the text does, or that they leave open where one of them ends or which is the last.
result<std::vector<std::size_t>> ends_of_tokens(std::string_view text,
                                                std::span<const std::optional<std::string>> tokens,
                                                tokens_behind behind);

}  // namespace cuset
