// Casts of pointers, by which an access may reach an address that is no multiple of what its type
// needs. A GPU ends the kernel there; this processor mostly reads on.
#pragma once

#include "cuset/syntax/cuda_program.h"

namespace cuset {

/// Whether the text casts a pointer or reference to a type that may need more than its elements do:
/// `reinterpret_cast<float4*>(p)`, `(const Vec*)p`, in macros too. Casts to numbers of four bytes
/// or less and to void do not count, nor do those of what malloc() and the like give.
bool casts_to_wider_types(const syntax::cuda_program& program);

}  // namespace cuset
