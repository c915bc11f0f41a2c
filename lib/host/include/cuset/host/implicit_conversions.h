// Conversions from floating point to integers without a cast, which a GPU does otherwise than the
// processor here.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cuset {

/// Takes a translated text, and g++'s messages about it: those of -Wfloat-conversion, with columns
/// that count bytes, name each place where a floating-point value becomes an integer by itself.
/// Returns the text in which device code converts there as PTX's cvt does; nothing if it has no
/// such place. `path` is the text's name in the messages. Lines keep their numbers.
///
/// The outcome may not compile where a place is not what its tokens look like: then the first text
/// stands.
std::optional<std::string> with_ptx_conversions(std::string_view text, std::string_view messages,
                                                std::string_view path);

}  // namespace cuset
