// Blocks and grids of three dimensions: built-in variables, order of ranks, warps along x, y, z.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

constexpr int fields = 16;

__global__ void where(unsigned* out) {
    const cg::thread_block block = cg::this_thread_block();
    const unsigned rank = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const unsigned b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const unsigned size = blockDim.x * blockDim.y * blockDim.z;
    unsigned* o = out + (static_cast<std::size_t>(b) * size + rank) * fields;
    o[0] = threadIdx.x, o[1] = threadIdx.y, o[2] = threadIdx.z;
    o[3] = blockIdx.x, o[4] = blockIdx.y, o[5] = blockIdx.z;
    o[6] = block.thread_rank(), o[7] = block.size();
    o[8] = block.thread_index().y, o[9] = block.group_index().z;
    o[10] = block.group_dim().x, o[11] = cg::this_grid().size();
    // The lane below in the warp is the rank below: x runs fastest, then y, then z.
    const unsigned lane = rank % 32, last = size - rank / 32 * 32;
    const unsigned mask = last >= 32 ? 0xffffffffu : (1u << last) - 1;
    o[12] = __shfl_up_sync(mask, threadIdx.x * 10000 + threadIdx.y * 100 + threadIdx.z, 1);
    o[13] = __popc(__ballot_sync(mask, threadIdx.y % 2));
    o[14] = lane;
    o[15] = warpSize;
}

static void check(dim3 grid, dim3 block) {
    const unsigned size = block.x * block.y * block.z, blocks = grid.x * grid.y * grid.z;
    unsigned* out = device<unsigned>(static_cast<std::size_t>(size) * blocks * fields);
    where<<<grid, block>>>(out);
    const std::vector<unsigned> got = taken(out, static_cast<std::size_t>(size) * blocks * fields);
    std::size_t at = 0;
    unsigned in_block[3];
    for (unsigned bz = 0; bz < grid.z; ++bz)
        for (unsigned by = 0; by < grid.y; ++by)
            for (unsigned bx = 0; bx < grid.x; ++bx)
                for (unsigned rank = 0; rank < size; ++rank, at += fields) {
                    in_block[0] = rank % block.x;
                    in_block[1] = rank / block.x % block.y;
                    in_block[2] = rank / block.x / block.y;
                    const unsigned below = rank % 32 == 0 ? rank : rank - 1;
                    unsigned odd = 0;
                    for (unsigned r = rank / 32 * 32; r < size && r < rank / 32 * 32 + 32; ++r)
                        odd += r / block.x % block.y % 2;
                    const unsigned want[fields] = {in_block[0],
                                                   in_block[1],
                                                   in_block[2],
                                                   bx,
                                                   by,
                                                   bz,
                                                   rank,
                                                   size,
                                                   in_block[1],
                                                   bz,
                                                   block.x,
                                                   size * blocks,
                                                   below % block.x * 10000 +
                                                       below / block.x % block.y * 100 +
                                                       below / block.x / block.y,
                                                   odd,
                                                   rank % 32,
                                                   32};
                    for (int f = 0; f < fields; ++f) expect("field", at + f, got[at + f], want[f]);
                }
}

int main() {
    check(dim3(1), dim3(1));
    check(dim3(5), dim3(40));
    check(dim3(2, 3), dim3(8, 4));
    check(dim3(2, 3, 4), dim3(3, 5, 7));
    check(dim3(1, 1, 6), dim3(1, 1, 64));
    check(dim3(3, 1, 2), dim3(1, 1024));
    check(dim3(1, 2, 1), dim3(32, 32));
    check(dim3(2, 2, 2), dim3(10, 10, 10));
    return verdict();
}
