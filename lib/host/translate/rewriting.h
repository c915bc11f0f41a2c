// The parts of the translation: each appends its edits.
#pragma once

#include <string>

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

/// __CUDA_ARCH__ and printf in device functions, and what registers the kernels.
void rewrite_device_functions(const syntax::cuda_program& program, const kernel_table& kernels,
                              text_edits& edits);

/// Has the sizes of `__constant__` variables added up.
void check_constant_memory(const syntax::cuda_program& program, text_edits& edits);

/// Whether the macro of that define token has such a parameter.
inline bool is_macro_parameter(const syntax::cuda_program& program, std::uint32_t define,
                               const std::string& name) {
    if (define == syntax::no_token) return false;
    const syntax::cuda_macro* macro = program.macro_of(define);
    if (macro == nullptr) return false;
    for (const std::uint32_t parameter : macro->parameters) {
        if (program.code.is_word(parameter, name)) return true;
    }
    return false;
}

}  // namespace cuset
