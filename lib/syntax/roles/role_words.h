// What the names of CUDA's and HIP's libraries say about roles (cuset/syntax/roles.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "cuset/syntax/roles.h"

namespace cuset::syntax {

enum class word_class : std::uint8_t {
    none,
    coordinate,     ///< threadIdx and the like
    rank_call,      ///< a group's thread_rank() and the like
    size_call,      ///< size(), which is a rank_call of a group alone
    sync_call,      ///< __syncthreads, atomicAdd, __shfl_sync, tiled_partition
    sync_method,    ///< fetch_add, arrive_and_wait: sync_call as a member alone
    sync_type,      ///< thread_block
    library_sync,   ///< barrier, atomic: sync_type behind cuda:: or std:: alone
    memory_call,    ///< __ldg, memcpy_async
    texture_read,   ///< tex2D: (texture, coordinates…)
    texture_write,  ///< surf2Dwrite: (value, surface, coordinates…)
    memory_type,    ///< cudaTextureObject_t
    memory_mark,    ///< __shared__, __constant__, __managed__
    transfer_call,  ///< cudaMemcpy
    launch_call,    ///< cudaStreamCreate, cudaFuncSetAttribute
    launch_type,    ///< dim3, cudaStream_t
    launch_mark,    ///< __global__, __launch_bounds__
    host_wait,      ///< cudaDeviceSynchronize
    group_scope,    ///< cg, cooperative_groups
};

word_class class_of_word(std::string_view word);

/// The role of inline assembly's text, PTX or AMD's, as it is written with its quotes: sync if an
/// instruction synchronises, else memory if one accesses memory, else nothing.
std::optional<token_role> role_of_instructions(std::string_view text);

/// Whether the word is a floating type: float, double2, __half.
bool is_floating_type(std::string_view word);

}  // namespace cuset::syntax
