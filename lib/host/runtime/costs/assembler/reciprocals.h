// Which divisions of floating point divide a constant of 1.
#pragma once

#include <set>
#include <string_view>

namespace cuset_host::costs {

/// The places of their mnemonics in the text. A register counts as 1 where all ways to an
/// instruction leave 1 in it.
std::set<const char*> reciprocals_in(std::string_view assembly);

}  // namespace cuset_host::costs
