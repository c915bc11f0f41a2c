// An access of a kernel's own code, as counted programs tell it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "memory_traffic.h"

namespace cuset_host::costs {

/// Called before the access. `instruction`: where in the program. Nothing in host code.
void look(std::uintptr_t address, std::size_t bytes, access_kind kind, const void* instruction);
/// The same, in pieces of what an instruction moves at most.
void look_at_range(const void* at, std::size_t bytes, access_kind kind, const void* instruction);

}  // namespace cuset_host::costs
