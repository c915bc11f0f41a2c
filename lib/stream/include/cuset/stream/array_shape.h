// The shapes of arrays, as tasks write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cuset {

/// The elements of a shape, such as "(16, 4)", "[16, 4]", "(16,)" or "()", which is one value.
/// Nothing for another text and for more than 2^64 - 1.
std::optional<std::uint64_t> elements_of(std::string_view shape);

}  // namespace cuset
