// Signs of numbers and formulas beyond ASCII. Private to lib/judge.
#pragma once

#include <string>
#include <string_view>

namespace cuset {

/// The text with the signs that last_number() knows: raised digits as ^ and digits, spaces of all
/// kinds as a blank, or as a mark of a group of digits between two digits, and ; for quotes, stops
/// and relations, which end an expression. Letters stay, and so do ×, · and −.
std::string in_plain_signs(std::string_view text);

}  // namespace cuset
