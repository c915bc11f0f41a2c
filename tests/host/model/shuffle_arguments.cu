// Shuffles whose arguments leave the warp: five bits of them count. Small integers come back as
// int.
#include "check.h"

constexpr int amounts = 9, kinds = 4;
__constant__ int amount[amounts] = {32, 33, 40, 63, 64, 1000003, -1, -5, -32};

template <int width>
__global__ void shuffle(int* out) {
    const int lane = threadIdx.x;
    for (int a = 0; a < amounts; ++a) {
        int* o = out + (a * 32 + lane) * kinds;
        o[0] = __shfl_sync(~0u, lane * 3, amount[a], width);
        o[1] = __shfl_up_sync(~0u, lane * 3, amount[a], width);
        o[2] = __shfl_down_sync(~0u, lane * 3, amount[a], width);
        o[3] = __shfl_xor_sync(~0u, lane * 3, amount[a], width);
    }
}

template <int width>
static void check() {
    const int n[amounts] = {32, 33, 40, 63, 64, 1000003, -1, -5, -32};
    int* out = device<int>(amounts * 32 * kinds);
    shuffle<width><<<1, 32>>>(out);
    const std::vector<int> got = taken(out, amounts * 32 * kinds);
    for (int i = 0; i < amounts * 32; ++i) {
        const int lane = i % 32, by = n[i / 32] & 31, first = lane / width * width;
        const int want[kinds] = {first + by % width, lane - by < first ? lane : lane - by,
                                 lane + by >= first + width ? lane : lane + by,
                                 (lane ^ by) >= first + width ? lane : lane ^ by};
        for (int k = 0; k < kinds; ++k)
            expect("source", (width * 1000 + i) * 10 + k, got[i * kinds + k], want[k] * 3);
    }
}

enum color { red = 5, green = 9 };
__global__ void small(int* out) {
    const int lane = threadIdx.x;
    const unsigned char byte = lane * 9;
    const short word = -lane;
    const bool odd = lane % 2;
    const color mine = lane < 7 ? red : green;
    static_assert(sizeof(__shfl_sync(~0u, byte, 3)) == 4, "");
    static_assert(sizeof(__shfl_xor_sync(~0u, word, 3)) == 4, "");
    int* o = out + lane * 5;
    o[0] = __shfl_sync(~0u, byte, 29) << 2;
    o[1] = __shfl_up_sync(~0u, word, 1);
    o[2] = __shfl_down_sync(~0u, odd, 1) + 1;
    o[3] = __shfl_xor_sync(~0u, mine, 1);
    o[4] = __shfl_sync(~0u, 'a' + lane % 26, lane + 2);
}

int main() {
    check<1>();
    check<2>();
    check<8>();
    check<16>();
    check<32>();
    int* out = device<int>(32 * 5);
    small<<<1, 32>>>(out);
    const std::vector<int> got = taken(out, 32 * 5);
    for (int lane = 0; lane < 32; ++lane) {
        const int above = lane < 31 ? lane + 1 : lane;
        const int want[5] = {(29 * 9 & 255) << 2, lane > 0 ? 1 - lane : 0, above % 2 + 1,
                             (lane ^ 1) < 7 ? 5 : 9, 'a' + (lane + 2) % 32 % 26};
        for (int k = 0; k < 5; ++k) expect("small", lane * 10 + k, got[lane * 5 + k], want[k]);
    }
    return verdict();
}
