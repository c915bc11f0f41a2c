// Names that a program may not have: those that the host model lacks, and those nvcc refuses.
#pragma once

#include <optional>
#include <string>

#include "cuset/host/translation.h"
#include "cuset/syntax/cuda_program.h"
#include "kernels.h"

namespace cuset {

/// The text of translation::unsupported.
std::optional<std::string> find_unmodelled(const syntax::cuda_program& program);

/// The first thing that nvcc refuses, found only if tokens show it without doubt.
std::optional<translation_error> find_refusal(const syntax::cuda_program& program,
                                              const kernel_table& kernels,
                                              const nvcc_dialect& dialect);

}  // namespace cuset
