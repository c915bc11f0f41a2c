// Macros that make the text of an asm statement from their arguments. Private to lib/host.
#pragma once

#include <string>
#include <string_view>

namespace cuset {

/// The program with the uses of such macros, as `#define ADD(op, d, a) asm(op ".u32 %0, %1;" …)`,
/// replaced by what they stand for, on the same lines, so that the instructions can be read. Empty
/// if there is none. Uses in other macros, and of macros with any number of arguments, stay.
std::string with_asm_macros_expanded(std::string_view text);

}  // namespace cuset
