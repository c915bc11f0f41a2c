// What each token of CUDA code is for: its role.
//
// Device code is the head and body of each function that can run on the device, and each
// `__device__` lambda. Each of them is parsed alone by tree-sitter's CUDA grammar, so that what the
// grammar cannot read in one does not touch another. Everything else is host code, and has its
// roles from words, brackets and statements alone.
//
// A construct below gives its role to all its tokens, except to those inside it that have another
// role: the innermost construct decides. A name with a role of its own (an index variable, memory,
// a group) has it wherever it stands in device code. What no construct takes is `arithmetic` in
// device code and `host` elsewhere. A semicolon goes with the statement it ends, the type, commas
// and semicolon of a declaration with its first declarator.
//
//   index       threadIdx, blockIdx, blockDim, gridDim and warpSize with their members, in macros
//               outside device code too; calls of a group's functions that tell ranks and sizes
//               (thread_rank, num_threads); index variables, their declarations and what is
//               assigned to them; what stands in the brackets of a memory access, is added to an
//               address, or is a texture's coordinate.
//               An index variable is a local that is computed from the coordinates above, directly
//               or through other locals but not through loads, atomics or shuffles, and that is
//               used in a subscript, an address or a bound, directly or through another local. One
//               of a floating type must be used in a subscript.
//   bound       a condition that guards memory accesses, with its keyword and parentheses (of a
//               `for`, the second semicolon too; of `?:`, the `?` and the `:`). The guarded
//               statement must access memory, launch or synchronise atomically, or leave (return,
//               break, continue). Of && and ||, those operands count that compare coordinates,
//               index variables or locals used in subscripts, outside memory accesses. A local that
//               holds such a comparison, with its declaration.
//   memory      names of global, shared and constant memory and of textures, with their
//               declarations (pointer and texture parameters too); an access's brackets, stars,
//               arrows and members; address-of and address arithmetic's operators; __ldg, __stcg,
//               tex2D, memcpy_async and their like; inline PTX that loads or stores; malloc, free.
//               Arrays and structures in registers are arithmetic.
//   sync        calls of barriers, fences, atomics, shuffles, votes and warp reductions with their
//               parentheses and commas (what is passed has its own role, else this); cooperative
//               groups, barriers, pipelines and atomic objects with their declarations; such
//               inline PTX, and that which commits and awaits cp.async. In host code, waits for a
//               device, stream or event.
//   launch      `__global__`, `__launch_bounds__(…)` and `__cluster_dims__(…)`; the statement of a
//               launch, and declarations of sizes that feed it (launch_extent::setup); dim3;
//               streams; calls that configure launches, ask for occupancy or build graphs.
//   transfer    in host code, calls that allocate, free, copy, set, prefetch or map device memory.
//   arithmetic  the rest of device code.
//   host        the rest of the code, with the preprocessor's lines outside device code.
//   comment     comments, and what stands in dead branches of the preprocessor.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace cuset {

enum class token_role : unsigned char {
    index,
    bound,
    memory,
    sync,
    launch,
    transfer,
    arithmetic,
    host,
    comment,
};
inline constexpr std::size_t token_roles = 9;

/// As records spell them, in the order above.
inline constexpr std::array<std::string_view, token_roles> role_names = {
    "index", "bound", "memory", "sync", "launch", "transfer", "arithmetic", "host", "comment"};

constexpr std::string_view name_of(token_role role) {
    return role_names[static_cast<std::size_t>(role)];
}

/// Nothing if no role has the name.
constexpr std::optional<token_role> role_of_name(std::string_view name) {
    for (std::size_t i = 0; i < token_roles; ++i)
        if (role_names[i] == name) return static_cast<token_role>(i);
    return std::nullopt;
}

/// Bytes [begin, end) of the tagged text. A run begins and ends with a byte that is no white space;
/// white space inside it stands between tokens of one role. Runs do not overlap, and each byte of
/// code other than white space is in one.
struct role_run {
    token_role role = token_role::host;
    std::size_t begin = 0, end = 0;

    bool operator==(const role_run&) const = default;
};

}  // namespace cuset
