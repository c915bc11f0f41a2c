// An access of a kernel's own code, as counted programs tell it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "memory_traffic.h"

namespace cuset_host::costs {

/// Called before the access. `instruction`: where in the program. Of host code only whether it
/// reaches device memory counts. `loop`: of an
/// atomic operation in shared memory.
void look(std::uintptr_t address, std::size_t bytes, access_kind kind, const void* instruction,
          update_loop loop = update_loop::none);
/// The same of an object that is aligned to less than its size, in the pieces that a GPU moves by
/// one instruction each: as wide as the alignment. That is not known; it is taken to be 4, or what
/// the size allows: 1 or 2 where it is no multiple of 4, and 8 of 24, 40 … bytes.
void look_at_range(const void* at, std::size_t bytes, access_kind kind, const void* instruction);

}  // namespace cuset_host::costs
