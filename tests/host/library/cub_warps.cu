// CUB's collectives of a warp and of groups of its lanes, against plain loops.
#include <cub/cub.cuh>

#include "check.h"

constexpr int warps = 3, threads = 32 * warps, kinds = 16, items = 3;

struct largest {
    __host__ __device__ int operator()(int a, int b) const { return a < b ? b : a; }
};
struct plus {
    __host__ __device__ int operator()(int a, int b) const { return a + b; }
};

// Every kind of result has a row of `threads` values in `out`.
template <int Lanes>
__global__ void sums(const int* in, const int* flags, int* out) {
    using reduce = cub::WarpReduce<int, Lanes>;
    using scan = cub::WarpScan<int, Lanes>;
    __shared__ union {
        typename reduce::TempStorage reduce_room;
        typename scan::TempStorage scan_room;
    } rooms[threads / Lanes];
    const int self = threadIdx.x;
    auto& room = rooms[self / Lanes];
    const int value = in[self], flag = flags[self];
    int row = 0;
    const auto put = [&](int result) {
        out[row++ * threads + self] = result;
        __syncwarp();
    };
    put(reduce(room.reduce_room).Sum(value));
    put(reduce(room.reduce_room).HeadSegmentedSum(value, flag));
    put(reduce(room.reduce_room).TailSegmentedSum(value, flag));
    put(reduce(room.reduce_room).HeadSegmentedReduce(value, flag, largest()));
    put(reduce(room.reduce_room).TailSegmentedReduce(value, flag, largest()));
    int upto = -1, before = -1, all = -1;
    scan(room.scan_room).Scan(value, upto, before, plus());
    put(upto), put(before);
    upto = before = -1;
    scan(room.scan_room).Scan(value, upto, before, 100, plus());
    put(upto), put(before);
    before = -1;
    scan(room.scan_room).ExclusiveScan(value, before, plus(), all);
    put(before), put(all);
    scan(room.scan_room).InclusiveScan(value, upto, 100, plus(), all);
    put(upto), put(all);
    scan(room.scan_room).ExclusiveScan(value, before, 100, plus());
    put(before);
    put(scan(room.scan_room).Broadcast(value, 2));
    before = -1;
    scan(room.scan_room).ExclusiveScan(value, before, largest());
    put(before);
}

template <int Lanes>
void try_sums() {
    std::vector<int> in(threads), flags(threads), out(threads * kinds);
    for (int i = 0; i < threads; ++i) in[i] = (i * 37 + 11) % 50, flags[i] = (i * i + i) % 7 < 2;
    int *d_in, *d_flags, *d_out;
    cudaMalloc(&d_in, threads * sizeof(int));
    cudaMalloc(&d_flags, threads * sizeof(int));
    cudaMalloc(&d_out, out.size() * sizeof(int));
    cudaMemcpy(d_in, in.data(), threads * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_flags, flags.data(), threads * sizeof(int), cudaMemcpyHostToDevice);
    sums<Lanes><<<1, threads>>>(d_in, d_flags, d_out);
    OK(cudaDeviceSynchronize());
    cudaMemcpy(out.data(), d_out, out.size() * sizeof(int), cudaMemcpyDeviceToHost);
    const auto row = [&](int kind) { return out.data() + kind * threads; };
    for (int first = 0; first < threads; first += Lanes) {
        int all = 0;
        for (int i = 0; i < Lanes; ++i) all += in[first + i];
        MUST(row(0)[first] == all);
        int sum = 0, most = -1;
        for (int i = 0; i < Lanes; ++i) {
            const int at = first + i;
            MUST(row(6)[at] == (i == 0 ? -1 : sum));
            MUST(row(8)[at] == 100 + sum && row(13)[at] == 100 + sum);
            MUST(row(9)[at] == (i == 0 ? -1 : sum) && row(15)[at] == most);
            sum += in[at], most = std::max(most, in[at]);
            MUST(row(5)[at] == sum && row(7)[at] == 100 + sum && row(11)[at] == 100 + sum);
            MUST(row(10)[at] == all && row(12)[at] == all);
            MUST(row(14)[at] == in[first + 2]);
        }
        for (const bool by_heads : {true, false}) {
            for (int begin = 0, end; begin < Lanes; begin = end) {
                sum = 0, most = -1;
                for (end = begin; end < Lanes;) {
                    if (by_heads && end > begin && flags[first + end] != 0) break;
                    sum += in[first + end], most = std::max(most, in[first + end]);
                    if (flags[first + end++] != 0 && !by_heads) break;
                }
                MUST(row(by_heads ? 1 : 2)[first + begin] == sum);
                MUST(row(by_heads ? 3 : 4)[first + begin] == most);
            }
        }
    }
}

__global__ void exchanges(const int* ranks, int* out) {
    using exchange = cub::WarpExchange<int, items, 16>;
    __shared__ typename exchange::TempStorage rooms[2];
    const int self = threadIdx.x, lane = self % 16;
    int own[items], blocked[items], rank[items];
    for (int i = 0; i < items; ++i) own[i] = self * items + i, rank[i] = ranks[lane * items + i];
    exchange(rooms[self / 16]).BlockedToStriped(own, own);
    __syncwarp();
    exchange(rooms[self / 16]).StripedToBlocked(own, blocked);
    __syncwarp();
    for (int i = 0; i < items; ++i) {
        out[self * items + i] = own[i];
        out[32 * items + self * items + i] = blocked[i];
    }
    exchange(rooms[self / 16]).ScatterToStriped(blocked, rank);
    for (int i = 0; i < items; ++i) out[2 * 32 * items + self * items + i] = blocked[i];
}

void try_exchanges() {
    constexpr int n = 32 * items, group = 16 * items;
    std::vector<int> ranks(group), out(3 * n);
    for (int i = 0; i < group; ++i) ranks[i] = (i * 11 + 5) % group;
    int *d_ranks, *d_out;
    cudaMalloc(&d_ranks, group * sizeof(int));
    cudaMalloc(&d_out, out.size() * sizeof(int));
    cudaMemcpy(d_ranks, ranks.data(), group * sizeof(int), cudaMemcpyHostToDevice);
    exchanges<<<1, 32>>>(d_ranks, d_out);
    OK(cudaDeviceSynchronize());
    cudaMemcpy(out.data(), d_out, out.size() * sizeof(int), cudaMemcpyDeviceToHost);
    for (int self = 0; self < 32; ++self)
        for (int i = 0; i < items; ++i) {
            const int first = self / 16 * group, lane = self % 16, at = self * items + i;
            MUST(out[at] == first + lane + i * 16);
            MUST(out[n + at] == at);
            int from = 0;
            while (ranks[from] != lane + i * 16) ++from;
            MUST(out[2 * n + at] == first + from);
        }
}

int main() {
    try_sums<32>();
    try_sums<8>();
    try_exchanges();
    return verdict();
}
