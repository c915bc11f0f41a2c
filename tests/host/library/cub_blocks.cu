// Forms of CUB's block-wide collectives: exchanges, scans, run lengths, partial tiles.
#include <cub/cub.cuh>

#include "check.h"

constexpr int threads = 64, items = 3, n = threads * items, kinds = 16;

struct plus {
    __host__ __device__ int operator()(int a, int b) const { return a + b; }
};
struct minus {
    __host__ __device__ int operator()(int a, int b) const { return a - b; }
};

// Every kind of result has a row of n values in `out`.
__global__ void collectives(const int* in, const int* ranks, int* out) {
    using exchange = cub::BlockExchange<int, threads, items>;
    using scan = cub::BlockScan<int, threads>;
    using difference = cub::BlockAdjacentDifference<int, threads>;
    __shared__ union {
        typename exchange::TempStorage exchange_room;
        typename scan::TempStorage scan_room;
        typename difference::TempStorage difference_room;
    } room;
    const int self = threadIdx.x;
    int own[items], to[items], rank[items], flag[items], all = -1, row = 0;
    for (int i = 0; i < items; ++i) {
        own[i] = in[self * items + i];
        rank[i] = ranks[self * items + i];
        flag[i] = own[i] % 2;
    }
    const auto put = [&](const int* results) {
        for (int i = 0; i < items; ++i) out[row * n + self * items + i] = results[i];
        ++row;
        __syncthreads();
    };
    exchange(room.exchange_room).BlockedToWarpStriped(own, to), put(to);
    exchange(room.exchange_room).WarpStripedToBlocked(to), put(to);
    exchange(room.exchange_room).ScatterToBlocked(own, to, rank), put(to);
    exchange(room.exchange_room).ScatterToStriped(own, to, rank), put(to);
    exchange(room.exchange_room).ScatterToStripedFlagged(own, to, rank, flag), put(to);
    for (int i = 0; i < items; ++i)
        if (flag[i] == 0) rank[i] = -1;
    exchange(room.exchange_room).ScatterToStripedGuarded(own, to, rank), put(to);
    for (int i = 0; i < items; ++i) to[i] = -1;
    scan(room.scan_room).ExclusiveScan(own, to, plus(), all), put(to);
    for (int i = 0; i < items; ++i) to[i] = all;
    put(to);
    scan(room.scan_room).InclusiveScan(own, to, 100, plus(), all), put(to);
    scan(room.scan_room).ExclusiveScan(own[0], to[0], plus(), all);
    if (self == 0) to[0] = -1;
    put(to);
    scan(room.scan_room).InclusiveScan(own, to, 100, plus()), put(to);
    difference(room.difference_room).SubtractLeftPartialTile(own, to, minus(), n - 4), put(to);
    difference(room.difference_room).SubtractLeftPartialTile(own, to, minus(), n - 4, 7), put(to);
    difference(room.difference_room).SubtractRightPartialTile(own, to, minus(), n - 4), put(to);
    cub::StoreDirectWarpStriped(self, out + row * n, own);
    __syncthreads();
    cub::LoadDirectWarpStriped(self, out + row * n, to);
    ++row, put(to);
}

// Collectives that bring their own storage, one of a template twice.
__global__ void without_storage(const int* in, int* out) {
    const int value = in[threadIdx.x];
    int scanned, sorted[1] = {value};
    const int sum = cub::BlockReduce<int, threads>().Sum(value);
    cub::BlockScan<int, threads>().ExclusiveSum(value, scanned);
    cub::BlockRadixSort<int, threads, 1>().Sort(sorted);
    __syncthreads();
    const int twice = cub::BlockReduce<int, threads>().Sum(2 * value);
    out[threadIdx.x] = scanned;
    out[threads + threadIdx.x] = sorted[0];
    if (threadIdx.x == 0) out[2 * threads] = sum, out[2 * threads + 1] = twice;
}

__global__ void decode(const int* values, const int* lengths, int* out, int* places, int* total) {
    using decoder = cub::BlockRunLengthDecode<int, threads, 1, 2>;
    __shared__ typename decoder::TempStorage room;
    const int self = threadIdx.x;
    int value[1] = {values[self]}, length[1] = {lengths[self]};
    unsigned size = 0;
    decoder runs(room, value, length, size);
    if (self == 0) *total = size;
    for (unsigned first = 0; first < size; first += 2 * threads) {
        int decoded[2];
        unsigned place[2];
        runs.RunLengthDecode(decoded, place, first);
        for (int i = 0; i < 2; ++i) {
            const unsigned at = first + 2 * self + i;
            if (at < size) out[at] = decoded[i], places[at] = place[i];
        }
    }
}

template <class T>
void fetch(std::vector<T>& to, const T* from) {
    cudaMemcpy(to.data(), from, to.size() * sizeof(T), cudaMemcpyDeviceToHost);
}

void try_collectives() {
    std::vector<int> in(n), ranks(n), out(kinds * n, -5);
    for (int i = 0; i < n; ++i) in[i] = (i * 29 + 3) % 100, ranks[i] = (i * 35 + 8) % n;
    int* const d_out = device(out);
    collectives<<<1, threads>>>(device(in), device(ranks), d_out);
    OK(cudaDeviceSynchronize());
    fetch(out, d_out);
    const auto row = [&](int kind) { return out.data() + kind * n; };
    std::vector<int> scattered(n);
    for (int i = 0; i < n; ++i) scattered[ranks[i]] = in[i];
    int sum = 0, all = 0, first_items = 0;
    for (int i = 0; i < n; ++i) all += in[i];
    for (int at = 0; at < n; ++at) {
        const int self = at / items, i = at % items, warp = self / 32 * 32;
        const int warp_striped = warp * items + self % 32 + i * 32, striped = self + i * threads;
        MUST(row(0)[at] == in[warp_striped]);
        MUST(row(1)[at] == in[at]);
        MUST(row(2)[at] == scattered[at] && row(3)[at] == scattered[striped]);
        if (scattered[striped] % 2 != 0)
            MUST(row(4)[at] == scattered[striped] && row(5)[at] == scattered[striped]);
        MUST(row(6)[at] == (at == 0 ? -1 : sum));
        sum += in[at];
        MUST(row(7)[at] == all && row(8)[at] == 100 + sum && row(10)[at] == 100 + sum);
        if (i == 0) {
            MUST(row(9)[at] == (at == 0 ? -1 : first_items));
            first_items += in[at];
        }
        const bool is_valid = at < n - 4;
        MUST(row(11)[at] == (is_valid && at > 0 ? in[at] - in[at - 1] : in[at]));
        MUST(row(12)[at] == (!is_valid ? in[at] : in[at] - (at == 0 ? 7 : in[at - 1])));
        MUST(row(13)[at] == (at < n - 5 ? in[at] - in[at + 1] : in[at]));
        MUST(row(14)[warp_striped] == in[at] && row(15)[at] == in[at]);
    }
}

void try_decoding() {
    std::vector<int> values(threads), lengths(threads), expected, places;
    for (int i = 0; i < threads; ++i) {
        values[i] = i * i, lengths[i] = (i * 7) % 5;
        for (int j = 0; j < lengths[i]; ++j) expected.push_back(values[i]), places.push_back(j);
    }
    std::vector<int> out(expected.size(), -1), out_places(expected.size(), -1), total(1);
    int *const d_out = device(out), *const d_places = device(out_places),
               *const d_total = device(total);
    decode<<<1, threads>>>(device(values), device(lengths), d_out, d_places, d_total);
    OK(cudaDeviceSynchronize());
    fetch(out, d_out), fetch(out_places, d_places), fetch(total, d_total);
    MUST(total[0] == static_cast<int>(expected.size()));
    MUST(out == expected && out_places == places);
}

void try_without_storage() {
    std::vector<int> in(threads), out(2 * threads + 2);
    for (int i = 0; i < threads; ++i) in[i] = (i * 29 + 3) % 64;  // each once
    int* const d_out = device(out);
    without_storage<<<1, threads>>>(device(in), d_out);
    OK(cudaDeviceSynchronize());
    fetch(out, d_out);
    for (int i = 0, sum = 0; i < threads; sum += in[i++])
        MUST(out[i] == sum && out[threads + i] == i);
    MUST(out[2 * threads] == 63 * 32 && out[2 * threads + 1] == 2 * 63 * 32);
}

int main() {
    try_without_storage();
    try_collectives();
    try_decoding();
    return verdict();
}
