// The parts of the translation: each appends its edits.
#pragma once

#include "cuset/syntax/cuda_program.h"
#include "kernels.h"
#include "split/split_kernels.h"
#include "text_edits.h"

namespace cuset {

/// `<<<…>>>` and calls of cudaLaunchKernel and its kin.
void rewrite_launches(const syntax::cuda_program& program, const kernel_table& kernels,
                      text_edits& edits);

/// `__shared__`. In the kernels of `splits`, where these say.
void rewrite_shared_memory(const syntax::cuda_program& program, const split_kernels& splits,
                           text_edits& edits);

/// __CUDA_ARCH__, which is `cuda_arch`, and printf in device functions, and what registers the
/// kernels.
void rewrite_device_functions(const syntax::cuda_program& program, const kernel_table& kernels,
                              const std::string& cuda_arch, text_edits& edits);

/// Has the sizes of `__constant__` variables added up.
void check_constant_memory(const syntax::cuda_program& program, text_edits& edits);

}  // namespace cuset
