// Which part of a base a process keeps, of several that share it.
#pragma once

#include <cstddef>

namespace cuset {

/// The part of a base's layers that a process keeps: the `rank`-th of `of` equal parts.
struct base_part {
    std::size_t rank = 0, of = 1;
};

}  // namespace cuset
