// Declarations of shared memory.
#pragma once

#include "cuset/syntax/cuda_program.h"
#include "functions.h"

namespace cuset::syntax {

/// Fills `shared` and `unread_shared`; `function_of` must be filled already.
void read_shared_declarations(cuda_program& program, const qualifier_words& qualifiers);

}  // namespace cuset::syntax
