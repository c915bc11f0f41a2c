// Atomics on integers, every kind, in shared and global memory and across blocks.
#include <climits>

#include "check.h"

constexpr int blocks = 37, threads = 130, total = blocks * threads;

template <class T>
__global__ void all_kinds(T* cells, T* olds) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    olds[i] = atomicAdd(&cells[0], T(1));
    atomicMax(&cells[1], T(i * 3));
    atomicMin(&cells[2], T(100000 - i));
    atomicAnd(&cells[3], T(~(T(1) << i % 20)));
    atomicOr(&cells[4], T(1) << i % 30);
    atomicXor(&cells[5], T(1) << i % 31);
    olds[total + i] = atomicExch(&cells[6], T(i + 1));
    olds[2 * total + i] = atomicCAS(&cells[7], T(0), T(i + 1));
    // A sum by compare and swap.
    T seen = cells[8], before;
    do {
        before = seen;
        seen = atomicCAS(&cells[8], before, T(before + i));
    } while (seen != before);
}

template <class T>
static void check_kinds(const char* type) {
    std::vector<T> cells(9, 0);
    cells[2] = 1000000;
    cells[3] = T(-1);
    T *device_cells = device<T>(9), *device_olds = device<T>(3 * total);
    OK(cudaMemcpy(device_cells, cells.data(), 9 * sizeof(T), cudaMemcpyHostToDevice));
    all_kinds<<<blocks, threads>>>(device_cells, device_olds);
    const std::vector<T> got = taken(device_cells, 9), olds = taken(device_olds, 3 * total);
    T flips = 0, sum = 0;
    for (int i = 0; i < total; ++i) flips ^= T(1) << i % 31, sum += i;
    const T want[6] = {T(total),       T((total - 1) * 3), T(100000 - total + 1),
                       T(T(-1) << 20), T((1 << 30) - 1),   flips};
    for (int k = 0; k < 6; ++k) expect(type, k, got[k], want[k]);
    expect(type, 8, got[8], sum);
    // Each old value once; the last of the exchanges is left; one swap succeeded.
    std::vector<int> times(total + 1), left(total + 1);
    for (int i = 0; i < total; ++i) ++times[int(olds[i])], ++left[int(olds[total + i])];
    ++left[int(got[6])];
    for (int i = 0; i < total; ++i) expect("old values", i, times[i], 1);
    for (int i = 0; i <= total; ++i) expect("exchanged", i, left[i], 1);
    int winners = 0;
    for (int i = 0; i < total; ++i) {
        const T old = olds[2 * total + i];
        winners += old == 0;
        if (old == 0) expect("winner", i, got[7], i + 1);
        if (old != 0) expect("swapped", i, old, got[7]);
    }
    expect("winners", 0, winners, 1);
}

__global__ void wraps(unsigned* out) {
    const int t = threadIdx.x;
    out[2 + t] = atomicInc(&out[0], 9);
    out[2 + 64 + t] = atomicDec(&out[1], 5);
}

__global__ void of_int(int* out, unsigned* unsigned_out) {
    atomicSub(&out[0], 3);
    atomicMin(&out[1], -int(threadIdx.x));
    atomicMax(&out[2], int(threadIdx.x) - 100);
    atomicSub(unsigned_out, 2u);
    if (blockIdx.x == 1) atomicAdd_block(&out[3], 1);
    atomicAdd_system(&out[4], 2);
    atomicCAS_system(&out[5], 0, 11);
}

__global__ void of_halves(unsigned short* words) {
    unsigned short seen = words[1], before;
    do {
        before = seen;
        seen = atomicCAS(&words[1], before, (unsigned short)(before + 1));
    } while (seen != before);
}

__global__ void histogram(const unsigned char* bytes, int n, unsigned* bins) {
    __shared__ unsigned local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[bytes[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        if (local[i] > 0) atomicAdd(&bins[i], local[i]);
}

int main() {
    check_kinds<int>("int");
    check_kinds<unsigned>("unsigned");
    check_kinds<unsigned long long>("unsigned long long");

    unsigned* wrapped = device<unsigned>(130);
    OK(cudaMemset(wrapped, 0, 8));
    wraps<<<1, 64>>>(wrapped);
    const std::vector<unsigned> got = taken(wrapped, 130);
    expect("atomicInc goes round", 0, got[0], 64 % 10);
    expect("atomicDec goes round", 0, got[1], 2);
    int inc[10] = {}, dec[6] = {};
    for (int t = 0; t < 64; ++t) {
        if (got[2 + t] < 10) ++inc[got[2 + t]];
        if (got[66 + t] < 6) ++dec[got[66 + t]];
    }
    for (int v = 0; v < 10; ++v) expect("values of atomicInc", v, inc[v], v < 4 ? 7 : 6);
    // From 0: 0, 5, 4, 3, 2, 1, 0, 5, …
    for (int v = 0; v < 6; ++v)
        expect("values of atomicDec", v, dec[v], v == 1 || v == 2 ? 10 : 11);

    int* signed_out = device<int>(6);
    OK(cudaMemset(signed_out, 0, 24));
    unsigned* unsigned_out = device<unsigned>(1);
    of_int<<<2, 64>>>(signed_out, unsigned_out);
    const std::vector<int> ints = taken(signed_out, 6);
    const int want[6] = {-384, -63, 0, 64, 256, 11};
    for (int i = 0; i < 6; ++i) expect("of int", i, ints[i], want[i]);
    expect("atomicSub", 0, taken(unsigned_out, 1)[0], UINT_MAX - 256);

    unsigned short* words = device<unsigned short>(4);
    OK(cudaMemset(words, 0, 8));
    of_halves<<<9, 100>>>(words);
    const std::vector<unsigned short> word = taken(words, 4);
    for (int i = 0; i < 4; ++i) expect("16 bits", i, word[i], i == 1 ? 900 : 0);

    const int n = 50000;
    std::vector<unsigned char> bytes(n);
    std::vector<unsigned> bins(256);
    for (int i = 0; i < n; ++i) ++bins[bytes[i] = (i * i / 7 + i) % 251];
    unsigned char* text = device<unsigned char>(n);
    unsigned* counts = device<unsigned>(256);
    OK(cudaMemset(counts, 0, 1024));
    OK(cudaMemcpy(text, bytes.data(), n, cudaMemcpyHostToDevice));
    histogram<<<7, 96>>>(text, n, counts);
    const std::vector<unsigned> counted = taken(counts, 256);
    for (int b = 0; b < 256; ++b) expect("histogram", b, counted[b], bins[b]);
    return verdict();
}
