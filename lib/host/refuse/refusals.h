// What a program may not have, by name: what the host model lacks, and what nvcc refuses.
#pragma once

#include <optional>
#include <string>

#include "cuset/host/translation.h"
#include "cuset/syntax/cuda_program.h"
#include "kernels.h"

namespace cuset {

/// What translation::unsupported is to say.
std::optional<std::string> find_unmodelled(const syntax::cuda_program& program);

/// What nvcc surely refuses; only what can be told from tokens without doubt.
std::optional<translation_error> find_refusal(const syntax::cuda_program& program,
                                              const kernel_table& kernels,
                                              const nvcc_dialect& dialect);

}  // namespace cuset
