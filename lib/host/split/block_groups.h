// Barriers that use a cooperative group of the whole block. Their sync() is __syncthreads().
#pragma once

#include <cstdint>
#include <vector>

#include "cuset/syntax/cuda_program.h"
#include "waiting_names.h"

namespace cuset {

struct block_groups {
    /// `cg::sync(block);`, `block.sync();`, `cg::this_thread_block().sync();` and the like, in
    /// order.
    std::vector<syntax::token_range> barriers;
    /// `cg::thread_block block = cg::this_thread_block();` if the function uses the group for
    /// nothing but barriers.
    std::vector<syntax::token_range> declarations;

    /// Whether token i is part of one of them.
    bool contains(std::uint32_t i) const;
};

/// Finds the groups of the whole block; groups with any other use are left out.
block_groups read_block_groups(const syntax::cuda_program& program,
                               const syntax::cuda_function& function, const waiting_names& waiting);

}  // namespace cuset
