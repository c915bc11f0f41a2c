// Copies of tensors' boxes (TMA) by cuTensorMapEncodeTiled: boxes that reach over the tensor's
// ends, steps, swizzles as PTX's manual shows them, stores, reductions and copies for a whole
// cluster, in inline PTX, cuda::ptx and libcu++'s functions.
#include <cooperative_groups.h>
#include <cuda.h>

#include <cstdint>
#include <cuda/barrier>
#include <cuda/ptx>

#include "check.h"

static CUresult encode(CUtensorMap* map, CUtensorMapDataType type, int rank, void* at,
                       const cuuint64_t* sizes, const cuuint64_t* strides, const cuuint32_t* box,
                       CUtensorMapSwizzle swizzle, unsigned step = 1) {
    const cuuint32_t steps[] = {1, step, 1, 1, 1};
    return cuTensorMapEncodeTiled(map, type, static_cast<cuuint32_t>(rank), at, sizes, strides, box,
                                  steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

__device__ unsigned window_of(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void wait_for(std::uint64_t* barrier, unsigned parity) {
    while (!cuda::ptx::mbarrier_try_wait_parity(barrier, parity)) {
    }
}

// A box of rows of 128 bytes, as it lies in shared memory.
template <int Words>
__global__ void load(const __grid_constant__ CUtensorMap map, int x, int y, int rows, int* out) {
    __shared__ alignas(1024) int tile[8 * 32];
    __shared__ alignas(8) std::uint64_t barrier;
    if (threadIdx.x == 0) {
        cuda::ptx::mbarrier_init(&barrier, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(window_of(&barrier)),
            "r"(rows * Words * 4)
            : "memory");
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
            " [%0], [%1, {%2, %3}], [%4];" ::"r"(window_of(tile)),
            "l"(&map), "r"(x), "r"(y), "r"(window_of(&barrier))
            : "memory");
    }
    __syncthreads();
    wait_for(&barrier, 0);
    for (int i = threadIdx.x; i < rows * Words; i += blockDim.x) out[i] = tile[i];
}

// Doubles a box and gives it back; adds its elements elsewhere.
__global__ void back(const __grid_constant__ CUtensorMap from,
                     const __grid_constant__ CUtensorMap to,
                     const __grid_constant__ CUtensorMap sums, int x, int y) {
    __shared__ alignas(128) int tile[4 * 8];
    __shared__ alignas(8) std::uint64_t barrier;
    namespace ptx = cuda::ptx;
    if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
    __syncthreads();
    const std::int32_t at[] = {x, y};
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &from, at, &barrier);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                       &barrier, sizeof tile);
    }
    wait_for(&barrier, 0);
    tile[threadIdx.x] *= 2;
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile(
            "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::
                "l"(&to),
            "r"(x), "r"(y), "r"(window_of(tile))
            : "memory");
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &sums,
                                         at, tile);
        asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory");
    }
}

// One copy for both blocks of a cluster.
__global__ void __cluster_dims__(2, 1, 1)
    everywhere(const __grid_constant__ CUtensorMap map, int* out) {
    __shared__ alignas(128) int tile[4 * 8];
    __shared__ alignas(8) std::uint64_t barrier;
    const auto cluster = cooperative_groups::this_cluster();
    if (threadIdx.x == 0) {
        cuda::ptx::mbarrier_init(&barrier, 1);
        asm volatile(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(window_of(&barrier)),
            "r"(static_cast<unsigned>(sizeof tile))
            : "memory");
    }
    cluster.sync();
    if (threadIdx.x == 0 && cluster.block_rank() == 0)
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
            ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(window_of(tile)),
            "l"(&map), "r"(0), "r"(1), "r"(window_of(&barrier)), "h"(static_cast<unsigned short>(3))
            : "memory");
    wait_for(&barrier, 0);
    out[blockIdx.x * 32 + threadIdx.x] = tile[threadIdx.x];
    cluster.sync();
}

// Three dimensions, by the functions of <cuda/barrier>.
__global__ void volume(const __grid_constant__ CUtensorMap map, float* out) {
    namespace cde = cuda::device::experimental;
    using barrier_type = cuda::barrier<cuda::thread_scope_block>;
    __shared__ alignas(128) float box[2 * 2 * 4];
    __shared__ barrier_type barrier;
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    barrier_type::arrival_token token;
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_3d_global_to_shared(box, &map, 4, 1, 1, barrier);
        token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof box);
    } else {
        token = barrier.arrive();
    }
    barrier.wait(static_cast<barrier_type::arrival_token&&>(token));
    out[threadIdx.x] = box[threadIdx.x];
}

int main() {
    constexpr int width = 40, height = 20;
    int *in = managed<int>(width * height), *out = managed<int>(width * height),
        *sums = managed<int>(width * height);
    for (int i = 0; i < width * height; ++i) in[i] = i + 1, sums[i] = 1000;
    const cuuint64_t sizes[] = {width, height}, strides[] = {width * sizeof(int)};
    CUtensorMap map, to, totals;

    // Inside, and over each end.
    cuuint32_t box[] = {8, 4};
    OK(encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, in, sizes, strides, box,
              CU_TENSOR_MAP_SWIZZLE_NONE));
    const int places[][2] = {{0, 0}, {16, 8}, {-3, -2}, {36, 18}, {100, 0}};
    for (const auto& at : places) {
        load<8><<<1, 32>>>(map, at[0], at[1], 4, out);
        OK(cudaDeviceSynchronize());
        for (int r = 0; r < 4; ++r)
            for (int c = 0; c < 8; ++c) {
                const int x = at[0] + c, y = at[1] + r;
                const bool is_inside = x >= 0 && x < width && y >= 0 && y < height;
                MUST(out[r * 8 + c] == (is_inside ? in[y * width + x] : 0));
            }
    }

    // Every third row.
    OK(encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, in, sizes, strides, box,
              CU_TENSOR_MAP_SWIZZLE_NONE, 3));
    load<8><<<1, 32>>>(map, 0, 1, 2, out);
    OK(cudaDeviceSynchronize());
    for (int c = 0; c < 8; ++c) MUST(out[c] == in[width + c] && out[8 + c] == in[4 * width + c]);

    // Swizzles: the chunk of 16 bytes that the manual's figures show in each place.
    struct {
        CUtensorMapSwizzle swizzle;
        int words;
        int (*chunk)(int row, int chunk);  // of the tile, for rows of so many words
    } const swizzles[] = {
        {CU_TENSOR_MAP_SWIZZLE_32B, 8, [](int row, int chunk) { return chunk ^ (row / 4 % 2); }},
        {CU_TENSOR_MAP_SWIZZLE_64B, 16, [](int row, int chunk) { return chunk ^ (row / 2 % 4); }},
        {CU_TENSOR_MAP_SWIZZLE_128B, 32, [](int row, int chunk) { return chunk ^ (row % 8); }}};
    for (const auto& s : swizzles) {
        box[0] = static_cast<cuuint32_t>(s.words);
        box[1] = 8;
        OK(encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, in, sizes, strides, box, s.swizzle));
        if (s.words == 8) load<8><<<1, 32>>>(map, 4, 3, 8, out);
        if (s.words == 16) load<16><<<1, 32>>>(map, 4, 3, 8, out);
        if (s.words == 32) load<32><<<1, 32>>>(map, 4, 3, 8, out);
        OK(cudaDeviceSynchronize());
        for (int r = 0; r < 8; ++r)
            for (int w = 0; w < s.words; ++w)
                MUST(out[r * s.words + s.chunk(r, w / 4) * 4 + w % 4] ==
                     in[(3 + r) * width + 4 + w]);
    }

    // Back to global memory, without what lies outside.
    box[0] = 8, box[1] = 4;
    encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, in, sizes, strides, box,
           CU_TENSOR_MAP_SWIZZLE_NONE);
    encode(&to, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, out, sizes, strides, box,
           CU_TENSOR_MAP_SWIZZLE_NONE);
    encode(&totals, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, sums, sizes, strides, box,
           CU_TENSOR_MAP_SWIZZLE_NONE);
    for (int i = 0; i < width * height; ++i) out[i] = -1;
    back<<<1, 32>>>(map, to, totals, 36, 18);
    OK(cudaDeviceSynchronize());
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const bool is_there = x >= 36 && y >= 18;
            const int i = y * width + x;
            MUST(out[i] == (is_there ? 2 * in[i] : -1));
            MUST(sums[i] == (is_there ? 1000 + 2 * in[i] : 1000));
        }

    everywhere<<<2, 32>>>(map, out);
    OK(cudaDeviceSynchronize());
    for (int b = 0; b < 2; ++b)
        for (int i = 0; i < 32; ++i) MUST(out[b * 32 + i] == in[(1 + i / 8) * width + i % 8]);

    float *cube = managed<float>(8 * 3 * 4), *part = managed<float>(16);
    for (int i = 0; i < 96; ++i) cube[i] = static_cast<float>(i) * 0.5F;
    const cuuint64_t sizes_3[] = {8, 3, 4}, strides_3[] = {32, 96};
    const cuuint32_t box_3[] = {4, 2, 2};
    OK(encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 3, cube, sizes_3, strides_3, box_3,
              CU_TENSOR_MAP_SWIZZLE_NONE));
    volume<<<1, 16>>>(map, part);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 16; ++i)
        MUST(part[i] == cube[((1 + i / 8) * 3 + 1 + i / 4 % 2) * 8 + 4 + i % 4]);

    // What a device refuses: a box's row that is not of 16 bytes, one that a swizzle does not hold,
    // and an address that is not aligned.
    box[0] = 3;
    MUST(encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, in, sizes, strides, box,
                CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_ERROR_INVALID_VALUE);
    box[0] = 16;
    MUST(encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, in, sizes, strides, box,
                CU_TENSOR_MAP_SWIZZLE_32B) == CUDA_ERROR_INVALID_VALUE);
    MUST(encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, in + 1, sizes, strides, box,
                CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_ERROR_INVALID_VALUE);
    return verdict();
}
