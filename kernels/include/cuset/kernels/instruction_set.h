// The version of the CPU kernels that runs. Each version is compiled for its own instruction set;
// the choice is made once, at the first call, by what the processor offers.
#pragma once

namespace cuset::kernels {

enum class instruction_set : unsigned char { portable, avx2, avx512, amx };

/// The version that the dispatching functions run: the chosen one, or the widest of this processor.
instruction_set active_instruction_set();

/// Makes the dispatching functions run `set`, which must be available. Call it before the first of
/// them runs: later it changes nothing, and returns false if another set is active.
bool choose_instruction_set(instruction_set set);

/// Whether this processor can run `set`, and the system lets this process.
bool is_available(instruction_set set);

/// "portable", "avx2" (with FMA), "avx512" (F, BW, DQ, VL; products of bfloat16 if there is BF16 too)
/// or "amx" (avx512 with these products by AMX-BF16).
const char* name_of(instruction_set set);

/// Whether bfloat16 matrix products are instructions of this processor (AMX-BF16 or AVX512-BF16)
/// rather than emulated.
bool has_native_bfloat16();

}  // namespace cuset::kernels
