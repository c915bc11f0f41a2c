// Host code whose meaning no tokens show: what it does to the runtime cannot be told, so that it is
// refused by name. Private to lib/host.
#pragma once

#include <cstdint>

#include "cuset/syntax/cuda_program.h"

namespace cuset {

/// Whether the `asm` at i in host code is more than instructions that wait, count or do nothing. A
/// name for a linker, `int x asm("y")`, is more.
bool is_opaque_assembly(const syntax::token_stream& code, std::uint32_t i);

/// Whether a macro stands where an attribute is named: behind the `__attribute__`, or the second
/// bracket of a `[[`, at i.
bool is_opaque_attribute(const syntax::cuda_program& program, std::uint32_t i);

}  // namespace cuset
