// The version of the CPU kernels that runs. Each version is compiled for its own instruction set;
// the choice is made once, at the first call, by what the processor offers.
#pragma once

namespace cuset::kernels {

/// Each has all that those before it have.
enum class instruction_set : unsigned char { portable, avx2, avx512, avx512_bf16, amx };

/// The version that the dispatching functions run: the chosen one, or the widest of this processor.
instruction_set active_instruction_set();

/// Makes the dispatching functions run `set`, which must be available. Call it before the first of
/// them runs: later it changes nothing, and returns false if another set is active.
bool choose_instruction_set(instruction_set set);

/// Whether this processor can run `set`, and the system lets this process.
bool is_available(instruction_set set);

/// "portable", "avx2" (with FMA), "avx512" (F, BW, DQ, VL), "avx512_bf16" (products of bfloat16 by
/// AVX512-BF16) or "amx" (these products by AMX-BF16).
const char* name_of(instruction_set set);

}  // namespace cuset::kernels
