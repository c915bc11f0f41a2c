// An access of a kernel's own code, as the search for races sees it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "happens_before.h"

namespace cuset_host::races {

struct access {
    std::uintptr_t address;
    std::size_t bytes;
    bool writes;
    bool is_strong;            ///< atomic or volatile; one that writes may read too
    const void* pc;            ///< behind the call that tells of it; null where the line is known
    int line = 0;              ///< 0: not known
    bool is_of_block = false;  ///< an atomic of the block's scope
};

/// Called before the access. Ends the program if it races.
void look(const access& a);
void look_at_fence(fence_scope scope);

}  // namespace cuset_host::races
