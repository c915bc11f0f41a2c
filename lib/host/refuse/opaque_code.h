// Host code whose meaning tokens do not show. Nobody can tell what it does to the runtime, so it is
// refused by name. Private to lib/host.
#pragma once

#include <cstdint>

#include "cuset/syntax/cuda_program.h"

namespace cuset {

/// Whether the `asm` at i in host code has more than instructions that wait, count or do nothing. A
/// linker name, `int x asm("y")`, is more.
bool is_opaque_assembly(const syntax::token_stream& code, std::uint32_t i);

/// Whether a macro stands in the place of an attribute's name: after the `__attribute__`, or after
/// the second bracket of a `[[`, at i.
bool is_opaque_attribute(const syntax::cuda_program& program, std::uint32_t i);

}  // namespace cuset
