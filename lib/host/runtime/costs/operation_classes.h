// What a counted program executes, by kinds of operations. The instrumenting assembler writes how
// many of each kind stand in a block of instructions, and the runtime how often the block ran.
#pragma once

#include <cstdint>

namespace cuset_host::costs {

/// The numbers are those of `executed_block::operations`. The three widths of floating point have
/// the same kinds in one order. Subtractions and multiplications are additions; a fused
/// multiply-add is one here.
enum operation : unsigned {
    half_add,
    half_fma,
    half_divide,
    half_reciprocal,
    half_root,
    float_add,
    float_fma,
    float_divide,
    float_reciprocal,
    float_root,
    double_add,
    double_fma,
    double_divide,
    double_reciprocal,
    double_root,
    integer,
    integer_divide,
    comparison,
    conversion,
    /// Arithmetic of the runtime's own headers, which is not what a GPU would execute: it is named,
    /// and not counted.
    of_ptx,
    of_cub,
    of_curand,
    of_tensor_cores,
    of_const_tables,  ///< reads of constants in the program's own memory, which no call tells of
    instruction,      ///< any of the program's own
    operation_kinds
};

inline constexpr unsigned warp_lanes = 32;

/// A block of instructions without a jump into it or out of it, as it lies in the section
/// cuset_blocks of the program.
struct executed_block {
    /// How often each lane of the running warp has run it. The last is for code of the host.
    std::uint32_t executions[warp_lanes + 1];
    std::uint16_t operations[operation_kinds];
};
static_assert(sizeof(executed_block) % alignof(executed_block) == 0);

/// For each of them, in the same order in the section cuset_ran, a byte that is not 0 where the
/// block has run: most have not.

/// A call of a mathematical function in a block, in the section cuset_calls: both offsets count
/// from their own place.
struct function_call {
    std::int32_t block, name;
};

}  // namespace cuset_host::costs
