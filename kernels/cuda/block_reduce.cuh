// Reductions over the threads of a block, in a fixed order; every thread gets the result.
#pragma once

namespace cuset::kernels {

struct larger_of {
    template <class T>
    __device__ T operator()(T a, T b) const {
        return a > b ? a : b;
    }
};
struct smaller_of {
    template <class T>
    __device__ T operator()(T a, T b) const {
        return a < b ? a : b;
    }
};
struct sum_of {
    template <class T>
    __device__ T operator()(T a, T b) const {
        return a + b;
    }
};

constexpr unsigned warp_threads = 32, all_lanes = 0xffffffffU;

/// `combine` must be commutative to the bit, so that every lane of a butterfly gets the same.
/// `warps` is shared memory for 32 values. All threads of the block take part, in whole warps. The
/// memory may be used again at once.
template <class T, class Combine>
__device__ T block_reduce(T value, T nothing, T* warps, Combine combine) {
    for (unsigned offset = warp_threads / 2; offset > 0; offset /= 2)
        value = combine(value, __shfl_xor_sync(all_lanes, value, offset));
    const unsigned lane = threadIdx.x % warp_threads, warp = threadIdx.x / warp_threads;
    __syncthreads();  // the reduction before this one has read its values
    if (lane == 0) warps[warp] = value;
    __syncthreads();
    value = lane < blockDim.x / warp_threads ? warps[lane] : nothing;
    for (unsigned offset = warp_threads / 2; offset > 0; offset /= 2)
        value = combine(value, __shfl_xor_sync(all_lanes, value, offset));
    return value;
}

}  // namespace cuset::kernels
