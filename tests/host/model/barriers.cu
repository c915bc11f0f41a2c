// Barriers of a block: what was written before one is read after it; count, and, or; syncwarp.
#include "check.h"

// Each round hands the values on by a step of its own: any thread that runs ahead spoils it.
__global__ void hand_on(int* out, int rounds) {
    __shared__ int ring[1024];
    const int n = blockDim.x, t = threadIdx.x;
    ring[t] = t;
    __syncthreads();
    for (int r = 0; r < rounds; ++r) {
        const int next = ring[(t + r + 1) % n];
        __syncthreads();
        ring[t] = next;
        __syncthreads();
    }
    out[blockIdx.x * n + t] = ring[t];
}

__global__ void counted(int* out) {
    const int t = threadIdx.x;
    int* o = out + t * 7;
    o[0] = __syncthreads_count(t % 3 == 0);
    o[1] = __syncthreads_and(t >= 0) != 0;
    o[2] = __syncthreads_and(t != 77) != 0;
    o[3] = __syncthreads_or(t == 77) != 0;
    o[4] = __syncthreads_or(t > 1000) != 0;
    o[5] = __syncthreads_count(-1);
    o[6] = __syncthreads_count(0);
}

// A barrier in a loop whose bounds the block shares, and one in a device function in a branch.
__device__ void add_left(int* row, int distance) {
    const int t = threadIdx.x;
    const int left = t >= distance ? row[t - distance] : 0;
    __syncthreads();
    row[t] += left;
    __syncthreads();
}
__global__ void scan(int* values) {
    __shared__ int row[256];
    const int t = threadIdx.x;
    row[t] = values[blockIdx.x * 256 + t];
    __syncthreads();
    if (blockIdx.x % 2 == 0)
        for (int d = 1; d < 256; d *= 2) add_left(row, d);
    values[blockIdx.x * 256 + t] = row[t];
}

__global__ void within_warp(int* out) {
    __shared__ int cell[96];
    const int t = threadIdx.x, lane = t % 32;
    cell[t] = t;
    __syncwarp();
    for (int step = 16; step > 0; step /= 2) {
        int other = 0;
        if (lane < step) other = cell[t + step];
        __syncwarp();
        if (lane < step) cell[t] += other;
        __syncwarp();
    }
    // One half alone; the other goes on.
    if (lane < 16) {
        cell[t] += 1000;
        __syncwarp(0xffffu);
        out[t] = cell[t ^ 15];
    } else {
        out[t] = -1;
    }
}

int main() {
    for (int threads : {1, 2, 31, 32, 33, 64, 100, 256, 1000, 1024}) {
        int* out = device<int>(3 * threads);
        hand_on<<<3, threads>>>(out, 10);
        const std::vector<int> got = taken(out, 3 * threads);
        for (int i = 0; i < 3 * threads; ++i)
            expect("handed on", i, got[i], (i % threads + 55) % threads);
    }
    int* out = device<int>(200 * 7);
    counted<<<1, 200>>>(out);
    std::vector<int> got = taken(out, 200 * 7);
    const int want[7] = {67, 1, 0, 1, 0, 200, 0};
    for (int i = 0; i < 200 * 7; ++i) expect("counted", i, got[i], want[i % 7]);

    const std::vector<int> ones(4 * 256, 1);
    int* values = device<int>(4 * 256);
    OK(cudaMemcpy(values, ones.data(), 4 * 256 * sizeof(int), cudaMemcpyHostToDevice));
    scan<<<4, 256>>>(values);
    got = taken(values, 4 * 256);
    for (int i = 0; i < 4 * 256; ++i)
        expect("scanned", i, got[i], i / 256 % 2 == 0 ? i % 256 + 1 : 1);

    out = device<int>(96);
    within_warp<<<1, 96>>>(out);
    got = taken(out, 96);
    // The tree leaves in lane l the sum of lanes l, l + step, …: followed here one step at a time.
    std::vector<int> cell(96);
    for (int t = 0; t < 96; ++t) cell[t] = t;
    for (int step = 16; step > 0; step /= 2)
        for (int t = 0; t < 96; ++t)
            if (t % 32 < step) cell[t] += cell[t + step];
    for (int t = 0; t < 96; ++t)
        expect("within a warp", t, got[t], t % 32 < 16 ? cell[t ^ 15] + 1000 : -1);
    expect("sum of a warp", 0, cell[32], 32 * 32 + 496);
    return verdict();
}
