// SPDX's licence names, list 3.27, one a line.
#pragma once

#include <string_view>

namespace cuset {

extern const std::string_view spdx_licenses_txt;

}  // namespace cuset
