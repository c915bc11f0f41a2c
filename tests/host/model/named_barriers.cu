// Barriers of inline PTX that some of a block's threads meet at, or arrive at without waiting.

#include "check.h"

__device__ void meet(int number, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}
__device__ void arrive(int number, int threads) {
    asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

/// The halves of a block each have a barrier of their own, and go round as often as they want.
__global__ void halves(int* out) {
    __shared__ int s[128];
    const int t = threadIdx.x, half = t / 64, first = half * 64;
    int value = t;
    for (int round = 0; round < 3 + 2 * half; ++round) {
        s[t] = value;
        meet(1 + half, 64);
        value += s[first + (t + 1) % 64];
        meet(1 + half, 64);
    }
    asm volatile("bar.sync 0;" ::: "memory");
    out[t] = value;
}

/// Two warps fill buffers that two others read: 1 and 2 tell that one is full, 3 and 4 that it is
/// free again.
__global__ void producers(const int* in, int* out, int tiles) {
    __shared__ int s[2][64];
    const int t = threadIdx.x % 64;
    int sum = 0;
    for (int tile = 0; tile < tiles; ++tile) {
        const int buffer = tile % 2;
        if (threadIdx.x < 64) {
            if (tile >= 2) meet(3 + buffer, 128);
            s[buffer][t] = in[tile * 64 + t];
            arrive(1 + buffer, 128);
        } else {
            asm volatile("barrier.cta.sync %0, %1;" ::"r"(1 + buffer), "r"(128) : "memory");
            sum += s[buffer][63 - t];
            if (tile + 2 < tiles)
                asm volatile("barrier.cta.arrive %0, 128;" ::"r"(3 + buffer) : "memory");
        }
    }
    if (threadIdx.x >= 64) out[t] = sum;
}

int main() {
    int *in = managed<int>(7 * 64), *out = managed<int>(128);
    halves<<<3, 128>>>(out);
    wait_for_device();
    int now[128], next[128];
    for (int t = 0; t < 128; ++t) now[t] = t;
    for (int round = 0; round < 5; ++round) {
        for (int t = 0; t < 128; ++t) {
            const int first = t / 64 * 64;
            next[t] = round < 3 + t / 64 * 2 ? now[t] + now[first + (t + 1) % 64] : now[t];
        }
        for (int t = 0; t < 128; ++t) now[t] = next[t];
    }
    for (int t = 0; t < 128; ++t) MUST(out[t] == now[t]);
    for (int i = 0; i < 7 * 64; ++i) in[i] = i * i % 97;
    producers<<<1, 128>>>(in, out, 7);
    wait_for_device();
    for (int t = 0; t < 64; ++t) {
        int want = 0;
        for (int tile = 0; tile < 7; ++tile) want += in[tile * 64 + 63 - t];
        MUST(out[t] == want);
    }
    return verdict();
}
