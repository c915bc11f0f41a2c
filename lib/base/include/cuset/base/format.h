// Numbers and words as printf writes them.
#pragma once

#include <string>

namespace cuset {

/// Formats like printf.
[[gnu::format(printf, 1, 2)]] std::string format(const char* form, ...);

}  // namespace cuset
