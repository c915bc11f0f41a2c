// What the calls of a library may touch of memory. For them, as for kernels, host memory is out of
// reach. With --check so is what lies outside of an allocation, has been freed, or has no value.
#pragma once

#include <cstddef>

namespace cuset_host {

enum class touch : unsigned char {
    reach,  ///< the bytes must be there, whether they have values or not
    read,
    write,
};

/// Ends the program where `call`, "cusparseSpMV", must not touch the `bytes` at `p`. What is
/// written has values from here on.
void library_touches(const char* call, touch how, const void* p, std::size_t bytes);

}  // namespace cuset_host
