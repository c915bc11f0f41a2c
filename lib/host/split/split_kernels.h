// Kernels whose threads wait at barriers, without a stack for each thread.
//
// A kernel becomes a function that runs one thread of the block from one wait to the next. It is
// called for all threads of the block, region by region, in the order in which fibers would run
// (cuset_host/threads/split_blocks.h):
//
//   __global__ void k(const float* in, float* out, int n) {
//       __shared__ float s[256];
//       const int t = threadIdx.x;
//       float sum = in[t];
//       for (int m = 0; m < n; ++m) {
//           s[t] = sum;
//           __syncthreads();
//           sum += s[255 - t];
//           __syncthreads();
//       }
//       if (t >= n) return;
//       out[t] = sum;
//   }
//
//   void k(const float* in, float* out, int n) { struct cuset_shared_2_1 { … }; auto& s = …;
//           static_cast<void>([](const float* in, float* out, int n) { the body as written });
//           struct cuset_frame { float cuset_2_sum; int cuset_3_m; };
//           const auto cuset_thread = [&, blockIdx, …, in, out, n](unsigned cuset_state, const
//           uint3 threadIdx,
//                                                     cuset_frame& cuset_f) -> unsigned {
//           const int cuset_1_t = threadIdx.x;
//           held<float> cuset_2_sum = cuset_f.cuset_2_sum; …
//           switch (cuset_state) { case 1: goto cuset_at_1; case 2: goto cuset_at_2; } {
//       cuset_2_sum = in[cuset_1_t];
//       for (cuset_3_m = 0; cuset_3_m < n; ++cuset_3_m) {
//           s[cuset_1_t] = cuset_2_sum;
//           { cuset_f.cuset_2_sum = cuset_2_sum; …; return 1; cuset_at_1:; }
//           …
//       if (cuset_1_t >= n) return 0;
//       …
// (without the line breaks; every line keeps its number). The code is cut only at barriers, and
// every thread runs its own control flow. So a barrier may stand in loops and branches of any kind,
// and a program with a race computes the same as on fibers. Locals that a jump to a barrier would
// pass are declared outside. If their value depends only on the thread's place and on constants, it
// is computed anew; else it is kept in the thread's frame. These locals get names of their own, so
// that no other use of their names is captured.
//
// Tokens decide this, always to the safe side: a kernel that is not recognised keeps its fibers
// (kernel_form::obstacle tells why). Some obstacles do not show in tokens (types that are not plain
// bytes, parameters changed through references). Such a kernel does not compile, and the caller
// translates again. A program that does not compile as written does not compile in this form
// either, since the body also stands in a closure that nobody calls.
#pragma once

#include <cstdint>
#include <vector>

#include "cuset/host/translation.h"
#include "cuset/syntax/cuda_program.h"
#include "split_plan.h"
#include "text_edits.h"

namespace cuset {

class split_kernels {
public:
    /// Decides which kernels get this form (none for barrier_form::fibers); makes no edits.
    split_kernels(const syntax::cuda_program& program, barrier_form form);

    const std::vector<kernel_form>& forms() const { return forms_; }
    /// The offset in the text to which a shared declaration moves; no_token if it stays.
    std::uint32_t place_of(const syntax::shared_declaration& d) const;
    /// Moves what the declarations of shared variables may need. Call it before these are
    /// rewritten.
    void move_constants(text_edits& edits) const;
    /// Makes all other edits. Call it after them.
    void rewrite(text_edits& edits) const;

private:
    const syntax::cuda_program& program_;
    std::vector<split_plan> plans_;  // of the kernels that have this form
    std::vector<kernel_form> forms_;
};

}  // namespace cuset
