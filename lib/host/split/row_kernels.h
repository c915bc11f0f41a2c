// Kernels whose threads never wait, as a loop over the threads of a block.
//
//   __global__ void k(const float* in, float* out, int n) {
//       const int i = blockIdx.x * blockDim.x + threadIdx.x;
//       if (i < n) out[i] = 2 * in[i];
//   }
//
//   void k(const float* in, float* out, int n) {
//           static_cast<void>([](const float* in, float* out, int n) { the body as written });
//           ::cuset_host::run_rows([=](const uint3 threadIdx, const uint3 blockIdx,
//                                      const dim3 blockDim, const dim3 gridDim) mutable -> void {
//       const int i = blockIdx.x * blockDim.x + threadIdx.x;
//       if (i < n) out[i] = 2 * in[i];
//   }); }
// (without the line breaks; every line keeps its number). The thread's place is a parameter, so
// that no store of the kernel can change it, and g++ can compute several threads at once.
//
// As with split kernels, tokens decide to the safe side. Functions that the kernel calls read the
// place from ::threadIdx, which this form does not set: such a kernel stays as it is. The closure
// that nobody calls makes g++ refuse what the other form hides.
#pragma once

#include <vector>

#include "cuset/host/translation.h"
#include "cuset/syntax/cuda_program.h"
#include "text_edits.h"

namespace cuset {

/// Rewrites these kernels, and returns them: without an obstacle. g++ may refuse the outcome, as
/// with barrier_form::split.
std::vector<kernel_form> rewrite_row_kernels(const syntax::cuda_program& program,
                                             text_edits& edits);

}  // namespace cuset
