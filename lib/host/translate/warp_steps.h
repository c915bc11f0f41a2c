// Points where the threads of a warp wait for each other, in device code that relies on warps whose
// threads run in step. Private to lib/host.
//
//   a[i] = x;  a[i] += x;  *p = x;
//     ::cuset_host::in_step(14, a[i]) = x;  …
//     All lanes have computed x before any of them stores, and have stored before any goes on.
//   old = atomicAdd(p, 1);  atomicAdd(p, 1);
//     ::cuset_host::step(14), old = atomicAdd(p, 1), ::cuset_host::step(15);
//   while (x)      while (::cuset_host::step(14), x)
//   for (…) {      for (…) { ::cuset_host::step(14);
//   and behind each branch and loop: ::cuset_host::step(15);
//
// The number is the place in the program: lanes that have not come as far run first.
#pragma once

#include <vector>

#include "cuset/syntax/cuda_program.h"
#include "text_edits.h"

namespace cuset {

/// For each function of the program, whether it uses volatile memory, by itself or through the
/// words of a macro or a type of the program, or has a loop that only waits for another thread.
std::vector<bool> functions_with_volatile(const syntax::cuda_program& program);

/// Adds the points to the device functions that `wanted` has.
void add_warp_steps(const syntax::cuda_program& program, const std::vector<bool>& wanted,
                    text_edits& edits);

}  // namespace cuset
