// The parts of the translation: each appends its edits.
#pragma once

#include "cuset/syntax/cuda_program.h"
#include "kernels.h"
#include "split/split_kernels.h"
#include "text_edits.h"

namespace cuset {

/// Rewrites `<<<…>>>` and calls of cudaLaunchKernel and similar functions.
void rewrite_launches(const syntax::cuda_program& program, const kernel_table& kernels,
                      text_edits& edits);

/// Rewrites `__shared__`. In the kernels of `splits`, the text goes where these say. The first
/// shared variable of the text has the number `first_shared`.
void rewrite_shared_memory(const syntax::cuda_program& program, const split_kernels& splits,
                           std::uint32_t first_shared, text_edits& edits);

/// Replaces __CUDA_ARCH__ by `cuda_arch`, rewrites printf and the heap in device functions, names
/// the type in `x = {}` of half precision, and adds the registration of the kernels.
void rewrite_device_functions(const syntax::cuda_program& program, const kernel_table& kernels,
                              const std::string& cuda_arch, std::uint32_t first_shared,
                              text_edits& edits);

/// Adds code that makes the device's variables known to the runtime, and that sums up the sizes of
/// `__constant__` ones.
void read_device_variables(const syntax::cuda_program& program, text_edits& edits);

/// Gives host code variables of its own where it names the device's. To be called behind
/// rewrite_launches().
void use_host_shadows(const syntax::cuda_program& program, text_edits& edits);

/// Marks the pointers that host code gives to algorithms of std and of Thrust.
void mark_host_algorithms(const syntax::cuda_program& program, text_edits& edits);

/// Whether the call of that name is a statement of host code.
bool drops_result(const syntax::cuda_program& program, std::uint32_t name);

/// Marks calls of CUDA's APIs in host code whose results nobody looks at, so that one that fails
/// can be named.
void mark_unchecked_calls(const syntax::cuda_program& program, text_edits& edits);

/// Writes `v(size_t(N) * n)` as `v((size_t)(N) * n)`: g++ 12 takes the former for a declaration of
/// N, and refuses it where N is a template's parameter.
void rewrite_functional_casts(const syntax::cuda_program& program, text_edits& edits);

/// Shifts in device code as PTX does, and converts floating point to integers as PTX does. To be
/// called before what may replace larger parts: it gives way to them.
void rewrite_device_arithmetic(const syntax::cuda_program& program, text_edits& edits);

/// Has g++ keep products and sums of host code apart, which it fuses in device code.
void rewrite_host_arithmetic(const syntax::cuda_program& program, text_edits& edits);

/// Has the accesses to the arrays of threads seen, which a GPU keeps in its local memory, where the
/// program is to be counted.
void mark_local_arrays(const syntax::cuda_program& program, text_edits& edits);

/// Has the runtime know from where functions are called in which lanes meet by what they run
/// (coalesced_threads(), __activemask()): cuset_host/threads/call_places.h. To be called behind what
/// else may write before a call.
void name_convergence_places(const syntax::cuda_program& program, text_edits& edits);

/// Where a macro gives `main` another name, lets it end in 0, as main does and other functions do
/// not.
void end_renamed_main(const syntax::cuda_program& program, text_edits& edits);

}  // namespace cuset
