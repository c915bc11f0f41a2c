// Looks programs up as a shell does.
#pragma once

#include <string>
#include <string_view>

namespace cuset {

/// The first executable of this name in the folders of PATH; empty: there is none.
std::string program_in_path(std::string_view name);

}  // namespace cuset
