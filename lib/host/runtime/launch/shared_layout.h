// The places of a program's __shared__ variables in a block's shared memory.
#pragma once

#include <cstddef>
#include <vector>

namespace cuset_host {

/// Large variables and dynamic shared memory lie at multiples of this, as tiles for the unit for
/// tensor memory must: it swaps their parts by the address.
constexpr std::size_t shared_alignment = 1024;

struct shared_variable {
    std::size_t offset, bytes;
    int number;        // in the program
    const char* name;  // empty until a kernel has used it
};

/// The size of all of them together: each has its own place, whatever kernel it is in.
std::size_t shared_layout_bytes();
/// The variables in the order of their offsets.
const std::vector<shared_variable>& shared_variables();

}  // namespace cuset_host
