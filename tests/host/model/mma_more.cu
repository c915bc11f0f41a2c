// Products of mma.sync in the shapes and types that ptx_matrices.cu leaves out: bf16 of 16 steps,
// tf32 of 4, bytes with and without sign of 16 steps, for 8 and 16 rows, and without sign of 32.
#include <cstdint>
#include <cstdio>
__device__ int wrong = 0;
__device__ int L(int r, int k) { return (r * 5 + k * 3) % 7 - 3; }
__device__ int R(int k, int c) { return (k * 2 + c * 7) % 5 - 2; }
__device__ unsigned bf(int v) { return __float_as_uint((float)v) >> 16; }
__device__ int want(int M, int K, int r, int c, bool u) {
    int s = r - c;
    for (int k = 0; k < K; ++k) s += u ? ((L(r, k) & 255) * (R(k, c) & 255)) : L(r, k) * R(k, c);
    return s;
}
__global__ void k() {
    int lane = threadIdx.x, g = lane / 4, t = lane % 4;
    {
        unsigned a[4], b[2];
        float c[4];
        for (int i = 0; i < 4; ++i) {
            int row = g + i % 2 * 8, col = 2 * t + i / 2 * 8;
            a[i] = bf(L(row, col)) | bf(L(row, col + 1)) << 16;
        }
        for (int i = 0; i < 2; ++i)
            b[i] = bf(R(2 * t + 8 * i, g)) | bf(R(2 * t + 8 * i + 1, g)) << 16;
        for (int i = 0; i < 4; ++i) c[i] = (g + i / 2 * 8) - (2 * t + i % 2);
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
            "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
        for (int i = 0; i < 4; ++i)
            if (c[i] != want(16, 16, g + i / 2 * 8, 2 * t + i % 2, false))
                wrong = 1, printf("bf16 %d %d\n", lane, i);
    }
    {
        unsigned a[2], b;
        float c[4];
        for (int i = 0; i < 2; ++i) a[i] = __float_as_uint((float)L(g + 8 * i, t));
        b = __float_as_uint((float)R(t, g));
        for (int i = 0; i < 4; ++i) c[i] = (g + i / 2 * 8) - (2 * t + i % 2);
        asm volatile(
            "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 "
            "{%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(b));
        for (int i = 0; i < 4; ++i)
            if (c[i] != want(16, 4, g + i / 2 * 8, 2 * t + i % 2, false))
                wrong = 1, printf("tf32 %d %d\n", lane, i);
    }
    {
        unsigned a[2] = {}, b = 0;
        int c[4];
        for (int i = 0; i < 8; ++i)
            a[i / 4] |= (L(g + i / 4 * 8, 4 * t + i % 4) & 255u) << 8 * (i % 4);
        for (int i = 0; i < 4; ++i) b = b + ((R(4 * t + i, g) & 255u) * (1u << 8 * i));
        for (int i = 0; i < 4; ++i) c[i] = (g + i / 2 * 8) - (2 * t + i % 2);
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.s32."
            "s8"
            "."
            "s8"
            ".s32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
            : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(b));
        for (int i = 0; i < 4; ++i)
            if (c[i] != want(16, 16, g + i / 2 * 8, 2 * t + i % 2, false))
                wrong = 1, printf(
                               "16 "
                               "s8"
                               " %d %d\n",
                               lane, i);
    }
    {
        unsigned a[2] = {}, b = 0;
        int c[4];
        for (int i = 0; i < 8; ++i)
            a[i / 4] |= (L(g + i / 4 * 8, 4 * t + i % 4) & 255u) << 8 * (i % 4);
        for (int i = 0; i < 4; ++i) b = b + ((R(4 * t + i, g) & 255u) * (1u << 8 * i));
        for (int i = 0; i < 4; ++i) c[i] = (g + i / 2 * 8) - (2 * t + i % 2);
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.s32."
            "u8"
            "."
            "u8"
            ".s32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
            : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(b));
        for (int i = 0; i < 4; ++i)
            if (c[i] != want(16, 16, g + i / 2 * 8, 2 * t + i % 2, true))
                wrong = 1, printf(
                               "16 "
                               "u8"
                               " %d %d\n",
                               lane, i);
    }
    {
        unsigned a = 0, b = 0;
        int c[2];
        for (int i = 0; i < 4; ++i)
            a |= (L(g, 4 * t + i) & 255u) << 8 * i,
                b = b + ((R(4 * t + i, g) & 255u) * (1u << 8 * i));
        for (int i = 0; i < 2; ++i) c[i] = g - (2 * t + i);
        asm volatile(
            "mma.sync.aligned.m8n8k16.row.col.s32."
            "s8"
            "."
            "s8"
            ".s32 {%0,%1},{%2},{%3},{%0,%1};"
            : "+r"(c[0]), "+r"(c[1])
            : "r"(a), "r"(b));
        for (int i = 0; i < 2; ++i)
            if (c[i] != want(8, 16, g, 2 * t + i, false))
                wrong = 1, printf(
                               "8 "
                               "s8"
                               " %d %d\n",
                               lane, i);
    }
    {
        unsigned a = 0, b = 0;
        int c[2];
        for (int i = 0; i < 4; ++i)
            a |= (L(g, 4 * t + i) & 255u) << 8 * i,
                b = b + ((R(4 * t + i, g) & 255u) * (1u << 8 * i));
        for (int i = 0; i < 2; ++i) c[i] = g - (2 * t + i);
        asm volatile(
            "mma.sync.aligned.m8n8k16.row.col.s32."
            "u8"
            "."
            "u8"
            ".s32 {%0,%1},{%2},{%3},{%0,%1};"
            : "+r"(c[0]), "+r"(c[1])
            : "r"(a), "r"(b));
        for (int i = 0; i < 2; ++i)
            if (c[i] != want(8, 16, g, 2 * t + i, true))
                wrong = 1, printf(
                               "8 "
                               "u8"
                               " %d %d\n",
                               lane, i);
    }
    {
        unsigned a[4] = {}, b[2] = {};
        int c[4];
        for (int i = 0; i < 16; ++i)
            a[i / 4] |= (L(g + i / 4 % 2 * 8, 4 * t + i % 4 + i / 8 * 16) & 255u) << 8 * (i % 4);
        for (int i = 0; i < 8; ++i)
            b[i / 4] |= (R(4 * t + i % 4 + i / 4 * 16, g) & 255u) << 8 * (i % 4);
        for (int i = 0; i < 4; ++i) c[i] = (g + i / 2 * 8) - (2 * t + i % 2);
        asm volatile(
            "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 "
            "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
            : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
        for (int i = 0; i < 4; ++i)
            if (c[i] != want(16, 32, g + i / 2 * 8, 2 * t + i % 2, true))
                wrong = 1, printf("32 u8 %d %d\n", lane, i);
    }
}
int main() {
    int found = 1;
    k<<<1, 32>>>();
    cudaMemcpyFromSymbol(&found, wrong, sizeof found);
    return found;
}
