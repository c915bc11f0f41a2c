// Where the __shared__ variables of a program lie in a block's shared memory.
#pragma once

#include <cstddef>
#include <vector>

namespace cuset_host {

struct shared_variable {
    std::size_t offset, bytes;
    int number;        // in the program
    const char* name;  // empty until a kernel has used it
};

/// Of all of them together: each has a place of its own, whatever kernel it is in.
std::size_t shared_layout_bytes();
/// By their offsets.
const std::vector<shared_variable>& shared_variables();

}  // namespace cuset_host
