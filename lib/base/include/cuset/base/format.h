// Numbers and words as printf writes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cuset {

/// Formats like printf.
[[gnu::format(printf, 1, 2)]] std::string format(const char* form, ...);

/// "1 record", "2 records": with `one` or `several` behind the number.
std::string counted(std::uint64_t count, std::string_view one, std::string_view several);
/// The same with an s at the end of the plural.
std::string counted(std::uint64_t count, std::string_view one);

}  // namespace cuset
