// Inline PTX as calls of the runtime's functions (cuset_host/ptx/). Private to lib/host.
//
//   asm volatile("add.u32 %0, %1, %2;" : "=r"(c) : "r"(a), "r"(b));
//     do { ::cuset_host::ptx::word r0 = 0, r1 = … ; r0 = ::cuset_host::ptx::add<…u32>(r1, r2);
//     ::cuset_host::ptx::give(r0, c); } while (false);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cuset/syntax/cuda_program.h"
#include "text_edits.h"

namespace cuset {

/// The instructions that are modelled, as a manual lists them: "add", "mad.lo", "shfl.sync".
std::vector<std::string> ptx_instructions();

/// The special registers that are modelled: "tid.x".
std::vector<std::string> ptx_special_registers();

/// The first instruction of the `asm` at token i, or other part of it, that is not modelled:
/// "inline PTX: mma.sync". Nothing if all are.
std::optional<std::string> unmodelled_ptx(const syntax::cuda_program& program, std::uint32_t i);

/// Rewrites each `asm` in device code that is modelled.
void rewrite_inline_ptx(const syntax::cuda_program& program, text_edits& edits);

}  // namespace cuset
