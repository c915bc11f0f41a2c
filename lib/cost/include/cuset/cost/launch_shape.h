// The grid or block of a launch.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cuset {

/// Blocks of a grid, or threads of a block: x, y, z.
using launch_shape = std::array<std::uint64_t, 3>;

/// "(4, 2, 1)".
std::string shown(const launch_shape& shape);

/// What a JSON value says: an array of one to three lengths, or one number; those that are missing
/// are 1. Nothing for any other value, and where a length is 0.
std::optional<launch_shape> launch_shape_of(std::string_view json);

}  // namespace cuset
