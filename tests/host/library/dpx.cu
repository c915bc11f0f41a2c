// The instructions for dynamic programming, against values by hand.
#include <cstdio>

#include "check.h"

__global__ void use(int* out) {
    out[0] = __viaddmax_s32(3, -10, -5) == -5 && __viaddmax_s32_relu(3, -10, -5) == 0;
    out[1] = __viaddmin_u32(0xffffffffu, 2u, 5u) == 1u;  // sums wrap around
    out[2] = __vimax3_s32(1, 9, 3) == 9 && __vimin3_u32(4u, 2u, 3u) == 2u;
    // Halves: 5 and -2 with -1 and 7, 0 and 1.
    const unsigned a = 0x0005fffeu, b = 0xffff0007u, c = 0x00000001u;
    out[3] = __vimax3_s16x2(a, b, c) == 0x00050007u && __vimin3_s16x2(a, b, c) == 0xfffffffeu;
    out[4] = __viaddmax_s16x2(a, b, c) == 0x00040005u;
    out[5] = __vimin3_s16x2_relu(a, b, c) == 0 && __viaddmin_u16x2(a, b, c) == 0x00000001u;
    bool first = false, high = false, low = true;
    out[6] = __vibmax_s32(2, -3, &first) == 2 && first && __vibmin_u32(2u, 1u, &first) == 1u &&
             !first;
    out[7] = __vibmax_s16x2(a, b, &high, &low) == 0x00050007u && high && !low;
    out[8] = __vimax_s32_relu(-1, -2) == 0 && __vimin_s16x2_relu(a, b) == 0;
}

int main() {
    constexpr int count = 9;
    int* out = managed<int>(count);
    use<<<1, 1>>>(out);
    cudaDeviceSynchronize();
    for (int i = 0; i < count; ++i) {
        if (fails(out[i] == 1)) std::printf("case %d\n", i);
    }
    return verdict();
}
