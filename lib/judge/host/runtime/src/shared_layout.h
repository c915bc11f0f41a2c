// Where the __shared__ variables of a program lie in a block's shared memory.
#pragma once

#include <cstddef>

namespace cuset_host {

/// Of all of them together: each has a place of its own, whatever kernel it is in.
std::size_t shared_layout_bytes();

}  // namespace cuset_host
