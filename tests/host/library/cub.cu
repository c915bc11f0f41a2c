// CUB: collectives of warps and blocks against plain loops, with several items a thread, partial
// blocks, prefixes and unions of storage; and device-wide algorithms.
#include <cub/cub.cuh>

#include <algorithm>
#include <numeric>

#include "check.h"

constexpr int threads = 96, items = 4, n = threads * items;

struct running_total {
    int total;
    __device__ int operator()(int block) {
        const int before = total;
        total += block;
        return before;
    }
};

struct is_even {
    __host__ __device__ bool operator()(int v) const { return v % 2 == 0; }
};

__global__ void collectives(const int* in, int* out) {
    using load = cub::BlockLoad<int, threads, items, cub::BLOCK_LOAD_TRANSPOSE>;
    using store = cub::BlockStore<int, threads, items, cub::BLOCK_STORE_TRANSPOSE>;
    using scan = cub::BlockScan<int, threads>;
    using reduce = cub::BlockReduce<int, threads, cub::BLOCK_REDUCE_RAKING>;
    using sort = cub::BlockRadixSort<int, threads, items>;
    __shared__ union {
        typename load::TempStorage load_room;
        typename store::TempStorage store_room;
        typename scan::TempStorage scan_room;
        typename reduce::TempStorage reduce_room;
        typename sort::TempStorage sort_room;
    } room;
    int own[items], sums[items], all;
    load(room.load_room).Load(in, own);
    __syncthreads();
    scan(room.scan_room).ExclusiveSum(own, sums, all);
    __syncthreads();
    store(room.store_room).Store(out, sums);
    __syncthreads();
    const int largest = reduce(room.reduce_room).Reduce(own, cub::Max());
    __syncthreads();
    const int some = reduce(room.reduce_room).Sum(own[0], 40);
    __syncthreads();
    sort(room.sort_room).SortDescending(own);
    __syncthreads();
    store(room.store_room).Store(out + n, own);
    __syncthreads();
    running_total prefix{1000};
    int one = threadIdx.x;
    scan(room.scan_room).InclusiveSum(one, one, prefix);
    out[2 * n + threadIdx.x] = one;
    if (threadIdx.x == 0) {
        out[3 * n] = all;
        out[3 * n + 1] = largest;
        out[3 * n + 2] = some;
        out[3 * n + 3] = prefix.total;
    }
}

__global__ void of_warps(const int* in, int* out) {
    __shared__ typename cub::WarpReduce<int>::TempStorage whole[2];
    __shared__ typename cub::WarpReduce<int, 8>::TempStorage eighth[2];
    __shared__ typename cub::WarpScan<int>::TempStorage scans[2];
    const int w = threadIdx.x / 32, value = in[threadIdx.x];
    const int sum = cub::WarpReduce<int>(whole[w]).Sum(value);
    const int part = cub::WarpReduce<int, 8>(eighth[w]).Reduce(value, cub::Min());
    int before, all;
    cub::WarpScan<int>(scans[w]).ExclusiveSum(value, before, all);
    if (threadIdx.x % 32 == 0) out[w] = sum;
    if (threadIdx.x % 8 == 0) out[2 + threadIdx.x / 8] = part;
    out[10 + threadIdx.x] = before;
    out[74 + threadIdx.x] = all;
}

int main() {
    std::vector<int> in(n), out(3 * n + 4);
    for (int i = 0; i < n; ++i) in[i] = (i * 7907) % 1009;
    int *x, *y;
    cudaMalloc(&x, n * sizeof(int));
    cudaMalloc(&y, (3 * n + 4) * sizeof(int));
    cudaMemcpy(x, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    collectives<<<1, threads>>>(x, y);
    OK(cudaMemcpy(out.data(), y, out.size() * sizeof(int), cudaMemcpyDeviceToHost));
    std::vector<int> wanted(n);
    std::exclusive_scan(in.begin(), in.end(), wanted.begin(), 0);
    MUST(std::equal(wanted.begin(), wanted.end(), out.begin()));
    wanted = in;
    std::sort(wanted.rbegin(), wanted.rend());
    MUST(std::equal(wanted.begin(), wanted.end(), out.begin() + n));
    for (int t = 0; t < threads; ++t) MUST(out[2 * n + t] == 1000 + t * (t + 1) / 2);
    int some = 0;
    for (int t = 0; t < 40; ++t) some += in[t * items];
    MUST(out[3 * n] == std::accumulate(in.begin(), in.end(), 0));
    MUST(out[3 * n + 1] == *std::max_element(in.begin(), in.end()));
    MUST(out[3 * n + 2] == some && out[3 * n + 3] == 1000 + threads * (threads - 1) / 2);

    of_warps<<<1, 64>>>(x, y);
    cudaMemcpy(out.data(), y, 138 * sizeof(int), cudaMemcpyDeviceToHost);
    for (int w = 0; w < 2; ++w) {
        int sum = 0;
        for (int i = 0; i < 32; ++i) {
            MUST(out[10 + w * 32 + i] == sum);
            sum += in[w * 32 + i];
        }
        MUST(out[w] == sum && out[74 + w * 32 + 5] == sum);
    }
    for (int p = 0; p < 8; ++p)
        MUST(out[2 + p] == *std::min_element(in.begin() + p * 8, in.begin() + p * 8 + 8));

    void* storage = nullptr;
    size_t bytes = 0;
    int* result;
    cudaMalloc(&result, 2 * n * sizeof(int));
    MUST(cub::DeviceReduce::Sum(storage, bytes, x, result, n) == cudaSuccess && bytes > 0);
    cudaMalloc(&storage, bytes);
    OK(cub::DeviceReduce::Sum(storage, bytes, x, result, n));
    int sum = 0;
    cudaMemcpy(&sum, result, sizeof sum, cudaMemcpyDeviceToHost);
    MUST(sum == std::accumulate(in.begin(), in.end(), 0));
    cub::DeviceScan::InclusiveSum(storage, bytes, x, result, n);
    cudaMemcpy(out.data(), result, n * sizeof(int), cudaMemcpyDeviceToHost);
    std::inclusive_scan(in.begin(), in.end(), wanted.begin());
    MUST(std::equal(wanted.begin(), wanted.end(), out.begin()));
    cub::DeviceRadixSort::SortPairs(storage, bytes, x, result, x, result + n, n);
    cudaMemcpy(out.data(), result, 2 * n * sizeof(int), cudaMemcpyDeviceToHost);
    wanted = in;
    std::sort(wanted.begin(), wanted.end());
    MUST(std::equal(wanted.begin(), wanted.end(), out.begin()));
    MUST(std::equal(wanted.begin(), wanted.end(), out.begin() + n));
    cub::DeviceSelect::If(storage, bytes, x, result, result + n, n, is_even());
    int found = 0;
    cudaMemcpy(&found, result + n, sizeof found, cudaMemcpyDeviceToHost);
    MUST(found == std::count_if(in.begin(), in.end(), [](int v) { return v % 2 == 0; }));
    cudaFree(x), cudaFree(y), cudaFree(storage), cudaFree(result);
    return verdict();
}
