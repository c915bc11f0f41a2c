// Exclusive prefix sum of any length: scan each tile, scan the tile totals
// (recursively), then add each tile's offset.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(cudaError_t e, const char* what) {
    if (e != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
        exit(1);
    }
}

constexpr int kThreads = 256;
constexpr int kItems = 4;
constexpr int kTile = kThreads * kItems;
constexpr int kWarps = kThreads / 32;

__device__ uint32_t warp_inclusive(uint32_t x, int lane) {
    for (int d = 1; d < 32; d *= 2) {
        uint32_t y = __shfl_up_sync(0xffffffffu, x, d);
        if (lane >= d) x += y;
    }
    return x;
}

// Exclusive scan across the block; every thread also gets the block's total.
__device__ uint32_t block_exclusive(uint32_t x, uint32_t& total) {
    __shared__ uint32_t warp_end[kWarps];
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;

    const uint32_t inclusive = warp_inclusive(x, lane);
    if (lane == 31) warp_end[warp] = inclusive;
    __syncthreads();
    if (warp == 0) {
        uint32_t w = lane < kWarps ? warp_end[lane] : 0u;
        w = warp_inclusive(w, lane);
        if (lane < kWarps) warp_end[lane] = w;
    }
    __syncthreads();
    total = warp_end[kWarps - 1];
    return inclusive - x + (warp > 0 ? warp_end[warp - 1] : 0u);
}

__global__ void scan_tiles(uint32_t* data, size_t n, uint32_t* tile_total) {
    const size_t first = size_t(blockIdx.x) * kTile + size_t(threadIdx.x) * kItems;

    uint32_t item[kItems];
    uint32_t sum = 0;
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
        item[k] = first + k < n ? data[first + k] : 0u;
        sum += item[k];
    }

    uint32_t total;
    uint32_t running = block_exclusive(sum, total);
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
        if (first + k < n) data[first + k] = running;
        running += item[k];
    }
    if (tile_total && threadIdx.x == 0) tile_total[blockIdx.x] = total;
}

__global__ void add_offsets(uint32_t* data, size_t n, const uint32_t* tile_offset) {
    const uint32_t offset = tile_offset[blockIdx.x];
    const size_t first = size_t(blockIdx.x) * kTile;
    for (int k = threadIdx.x; k < kTile; k += kThreads) {
        if (first + k < n) data[first + k] += offset;
    }
}

void exclusive_scan(uint32_t* d_data, size_t n) {
    if (n == 0) return;
    const size_t tiles = (n + kTile - 1) / kTile;
    uint32_t* d_totals = nullptr;
    if (tiles > 1) check(cudaMalloc(&d_totals, tiles * sizeof(uint32_t)), "malloc totals");

    scan_tiles<<<unsigned(tiles), kThreads>>>(d_data, n, d_totals);
    check(cudaGetLastError(), "scan_tiles");

    if (tiles > 1) {
        exclusive_scan(d_totals, tiles);
        add_offsets<<<unsigned(tiles), kThreads>>>(d_data, n, d_totals);
        check(cudaGetLastError(), "add_offsets");
        check(cudaFree(d_totals), "free totals");
    }
}

int main() {
    const size_t sizes[] = {1, 31, 1024, 1025, 100000, (size_t(1) << 21) + 3};
    for (size_t n : sizes) {
        std::vector<uint32_t> in(n), out(n);
        for (size_t i = 0; i < n; ++i) in[i] = uint32_t((i * 2654435761u) >> 28);

        uint32_t* d = nullptr;
        check(cudaMalloc(&d, n * sizeof(uint32_t)), "malloc");
        check(cudaMemcpy(d, in.data(), n * sizeof(uint32_t), cudaMemcpyHostToDevice), "to device");
        exclusive_scan(d, n);
        check(cudaMemcpy(out.data(), d, n * sizeof(uint32_t), cudaMemcpyDeviceToHost), "to host");
        check(cudaFree(d), "free");

        uint32_t running = 0;
        for (size_t i = 0; i < n; ++i) {
            if (out[i] != running) {
                fprintf(stderr, "n=%zu: mismatch at %zu\n", n, i);
                return 1;
            }
            running += in[i];
        }
        printf("n=%zu ok\n", n);
    }
    return 0;
}
