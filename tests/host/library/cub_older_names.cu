// Names of CUB 1 and 2 that CUB 3, so nvcc 13, has no more (nvcc with CUB 2.5's headers takes
// this): operators, iterators, numbers of lanes and warps, the types' limits.
#include <cstdio>
#include <cub/cub.cuh>
#include <cub/iterator/constant_input_iterator.cuh>
#include <cub/iterator/counting_input_iterator.cuh>
#include <cub/iterator/transform_input_iterator.cuh>
#include <limits>

#include "cub_twice.h"

struct square {
    __host__ __device__ long long operator()(int a) const { return 1LL * a * a; }
};
struct is_odd {
    __host__ __device__ bool operator()(int a) const { return a % 2 != 0; }
};

static void operators() {
    // Of different types, what an operator gives has their common one.
    MUST(cub::Sum()(2, 0.5) == 2.5 && cub::Max()(2, 2.5) == 2.5 && cub::Min()(2, -2.5) == -2.5);
    MUST(cub::Max()(-3, 4) == 4 && cub::Max()(4, -3) == 4 && cub::Min()(4, -3) == -3);
    MUST(cub::Equality()(3, 3.0) && !cub::Equality()(3, 3.5));
    MUST(cub::Inequality()(3, 3.5) && !cub::Inequality()(3, 3.0));
    MUST(cub::DivideAndRoundUp(0, 7) == 0 && cub::DivideAndRoundUp(7, 7) == 1);
    MUST(cub::DivideAndRoundUp(8, 7) == 2 && cub::DivideAndRoundUp(5000000001ull, 2) == 2500000001);
}

template <class T>
void try_limits() {
    MUST(cub::Traits<T>::Max() == std::numeric_limits<T>::max());
    MUST(cub::Traits<T>::Lowest() == std::numeric_limits<T>::lowest());
}

static void iterators() {
    cub::CountingInputIterator<int> from(10), moved = from + 5;
    MUST(*from == 10 && from[3] == 13 && *moved == 15 && moved[-4] == 11 && moved - from == 5);
    MUST(*(moved - 2) == 13 && from + 5 == moved && from != moved && !(from == moved));
    MUST(*from++ == 10 && *from == 11 && *++from == 12);
    from += 3;
    MUST(from == moved);
    const cub::ConstantInputIterator<double> constant(2.5);
    MUST(*constant == 2.5 && constant[1000] == 2.5 && *(constant + 7) == 2.5);
    const int numbers[] = {3, -70000, 5, 11};
    const cub::TransformInputIterator<long long, square, const int*> squares(numbers, square());
    MUST(*squares == 9 && squares[1] == 4900000000 && *(squares + 2) == 25);
    MUST((squares + 2)[1] == 121);
    auto constants = constant;
    constants += 4, constants -= 2, ++constants, constants++;
    MUST(*constants == 2.5 && constants - constant == 4 && constants == constant + 4);
    auto moving = squares;
    moving += 3, moving -= 1;
    MUST(*moving == 25 && moving - squares == 2 && *(moving - 1) == 4900000000);
    MUST(*moving++ == 25 && *moving == 121 && moving != squares && moving == squares + 3);
    cub::TransformInputIterator<long long, square, const int*, unsigned> narrow(numbers, square());
    narrow += 3, narrow -= 2;
    MUST(*narrow == 4900000000);
    from -= 2;
    MUST(*from == 13);
    MUST(CUB_MAX(2, 3) == 3 && CUB_MIN(2, 3) == 2 && CUB_QUOTIENT_FLOOR(11, 4) == 2);
    MUST(CUB_QUOTIENT_CEILING(9, 4) == 3 && CUB_ROUND_UP_NEAREST(9, 4) == 12);
    MUST(CUB_ROUND_DOWN_NEAREST(11, 4) == 8);
    static_assert(std::is_same<decltype(squares)::value_type, long long>::value, "another type");
}

/// The iterators as inputs of device-wide calls, one of another.
static void calls() {
    constexpr int n = 1003;
    const cub::CountingInputIterator<int> count(-400);
    const cub::ConstantInputIterator<int> ones(1);
    const cub::TransformInputIterator<long long, square, cub::CountingInputIterator<int>> squares(
        count, square());
    auto* const sums = managed<long long>(n);
    TWICE(cub::DeviceScan::InclusiveSum(room, bytes, squares, sums, n));
    auto* const odd = managed<int>(n);
    auto* const found = managed<int>(1);
    TWICE(cub::DeviceSelect::If(room, bytes, count, odd, found, n, is_odd()));
    MUST(*found == n / 2);
    long long sum = 0;
    int at = 0;
    for (int i = 0; i < n; ++i) {
        const long long v = i - 400;
        MUST(sums[i] == (sum += v * v));
        if (v % 2 != 0) MUST(odd[at++] == v);
    }
    auto* const most = managed<long long>(1);
    TWICE(cub::DeviceReduce::Reduce(room, bytes, squares, most, n, cub::Max(), 5LL));
    MUST(*most == 602LL * 602);
    TWICE(cub::DeviceReduce::Reduce(room, bytes, squares + 300, most, 101, cub::Min(), 5LL));
    MUST(*most == 0);
    // Each number's run: the thirds of n items, whose lengths are sums of ones.
    auto *const keys = managed<int>(n), *const unique = managed<int>(n);
    auto* const lengths = managed<int>(n);
    for (int i = 0; i < n; ++i) keys[i] = i / 3;
    TWICE(cub::DeviceReduce::ReduceByKey(room, bytes, keys, unique, ones, lengths, found,
                                         cub::Sum(), n));
    MUST(*found == 335 && unique[334] == 334 && lengths[333] == 3 && lengths[334] == 1);
    // Pairs of a number and its square.
    using pair = cub::KeyValuePair<std::ptrdiff_t, long long>;
    const cub::ArgIndexInputIterator<decltype(squares + 0)> numbered(squares);
    auto* const best = managed<pair>(1);
    TWICE(cub::DeviceReduce::Reduce(room, bytes, numbered, best, n, cub::ArgMin(),
                                    pair(-1, 1000000)));
    MUST(best->key == 400 && best->value == 0);
    TWICE(cub::DeviceScan::InclusiveScanByKey(room, bytes, keys, count, lengths, cub::Max(), n,
                                              cub::Equality()));
    MUST(lengths[5] == -395 && lengths[3] == -397);
}

__global__ void of_lanes(unsigned* lanes, unsigned* warps) {
    const int self = threadIdx.y * blockDim.x + threadIdx.x;
    lanes[self] = cub::LaneId(), warps[self] = cub::WarpId();
}
/// A block's results by the operators; only the first thread's count.
__global__ void of_block(const int* in, int* out) {
    using reduce = cub::BlockReduce<int, 64>;
    using scan = cub::BlockScan<int, 64>;
    __shared__ union {
        typename reduce::TempStorage reduce_room;
        typename scan::TempStorage scan_room;
    } room;
    const int own = in[threadIdx.x];
    const int least = reduce(room.reduce_room).Reduce(own, cub::Min());
    __syncthreads();
    const int most = reduce(room.reduce_room).Reduce(own, cub::Max());
    __syncthreads();
    int before;
    scan(room.scan_room).ExclusiveScan(own, before, -100, cub::Max());
    out[2 + threadIdx.x] = before;
    if (threadIdx.x == 0) out[0] = least, out[1] = most;
}

static void kernels() {
    constexpr int threads = 80;
    auto *const lanes = managed<unsigned>(threads), *const warps = managed<unsigned>(threads);
    of_lanes<<<1, dim3(16, 5)>>>(lanes, warps);
    OK(cudaDeviceSynchronize());
    for (unsigned i = 0; i < threads; ++i) MUST(lanes[i] == i % 32 && warps[i] == i / 32);
    auto *const in = managed<int>(64), *const out = managed<int>(66);
    for (int i = 0; i < 64; ++i) in[i] = i * 37 % 61 - 50;
    of_block<<<1, 64>>>(in, out);
    OK(cudaDeviceSynchronize());
    int least = in[0], most = in[0], before = -100;
    for (int i = 0; i < 64; ++i) {
        MUST(out[2 + i] == before);
        before = in[i] > before ? in[i] : before;
        least = in[i] < least ? in[i] : least, most = in[i] > most ? in[i] : most;
    }
    MUST(out[0] == least && out[1] == most);
}

int main() {
    operators();
    try_limits<signed char>();
    try_limits<unsigned>();
    try_limits<long long>();
    try_limits<float>();
    try_limits<double>();
    iterators();
    calls();
    kernels();
    return verdict();
}
