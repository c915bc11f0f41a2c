// Numbers and words as printf writes them.
#pragma once

#include <string>

namespace cuset {

/// Of no more than 511 bytes: what is longer is cut.
[[gnu::format(printf, 1, 2)]] std::string format(const char* form, ...);

}  // namespace cuset
