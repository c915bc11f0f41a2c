// Inline PTX on matrices of a warp and on narrow floating point, against plain loops and values by
// hand: ldmatrix, stmatrix, mma.sync in all shapes that are modelled, cvt, and comments in the text.
#include <cstdint>

#include "check.h"

// Small integers: exact in all these types.
__device__ float left_of(int row, int k) { return static_cast<float>((row * 5 + k * 3) % 7 - 3); }
__device__ float right_of(int k, int column) {
    return static_cast<float>((k * 2 + column * 7) % 5 - 2);
}
__device__ float before(int row, int column) { return static_cast<float>(row - column); }

__device__ unsigned to_half(float x) {
    unsigned short h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
    return h;
}
__device__ unsigned to_brain(float x) {
    unsigned short h;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h) : "f"(x));
    return h;
}
__device__ unsigned to_bits(float x) {
    unsigned bits;
    asm("mov.b32 %0, %1;" : "=r"(bits) : "f"(x));
    return bits;
}

// The layouts of PTX's manual, written out for m16n8k16 of halves.
__global__ void halves_16(float* out) {
    __shared__ __align__(16) unsigned short a[16 * 16];
    const int lane = threadIdx.x, group = lane / 4, within = lane % 4;
    for (int i = lane; i < 256; i += 32)
        a[i] = static_cast<unsigned short>(to_half(left_of(i / 16, i % 16)));
    __syncwarp();
    unsigned ra[4], rb[2];
    const unsigned at = static_cast<unsigned>(
        __cvta_generic_to_shared(a + lane % 16 * 16 + lane / 16 * 8));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3])
                 : "r"(at)
                 : "memory");
    for (int r = 0; r < 2; ++r)
        rb[r] = to_half(right_of(8 * r + 2 * within, group)) |
                to_half(right_of(8 * r + 2 * within + 1, group)) << 16;
    float c[4];
    for (int i = 0; i < 4; ++i) c[i] = before(group + i / 2 * 8, 2 * within + i % 2);
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "  // D, A, B, C
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
    for (int i = 0; i < 4; ++i) out[(group + i / 2 * 8) * 8 + 2 * within + i % 2] = c[i];
}

// Brain floats and k = 8, and a result in halves.
__global__ void narrow_8(float* brain, float* half) {
    const int lane = threadIdx.x, group = lane / 4, within = lane % 4;
    unsigned a[2], ha[2], b, hb, hc[2];
    for (int r = 0; r < 2; ++r) {
        const float x = left_of(group + 8 * r, 2 * within),
                    y = left_of(group + 8 * r, 2 * within + 1);
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(a[r]) : "f"(y), "f"(x));
        asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(ha[r]) : "f"(y), "f"(x));
        hc[r] = to_half(before(group + 8 * r, 2 * within)) |
                to_half(before(group + 8 * r, 2 * within + 1)) << 16;
    }
    b = to_brain(right_of(2 * within, group)) | to_brain(right_of(2 * within + 1, group)) << 16;
    hb = to_half(right_of(2 * within, group)) | to_half(right_of(2 * within + 1, group)) << 16;
    float c[4];
    for (int i = 0; i < 4; ++i) c[i] = before(group + i / 2 * 8, 2 * within + i % 2);
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
        "{%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(b));
    for (int i = 0; i < 4; ++i) brain[(group + i / 2 * 8) * 8 + 2 * within + i % 2] = c[i];
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, {%0,%1};"
                 : "+r"(hc[0]), "+r"(hc[1])
                 : "r"(ha[0]), "r"(ha[1]), "r"(hb));
    for (int i = 0; i < 4; ++i) {
        float wide;
        const auto h = static_cast<unsigned short>(hc[i / 2] >> (16 * (i % 2)));
        asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(h));
        half[(group + i / 2 * 8) * 8 + 2 * within + i % 2] = wide;
    }
}

__global__ void floats_and_bytes(float* tf, int* bytes, double* wide) {
    const int lane = threadIdx.x, group = lane / 4, within = lane % 4;
    unsigned a[4], b[2];
    for (int r = 0; r < 4; ++r)
        asm("cvt.rna.tf32.f32 %0, %1;"
            : "=r"(a[r])
            : "f"(left_of(group + r % 2 * 8, within + r / 2 * 4)));
    for (int r = 0; r < 2; ++r) b[r] = to_bits(right_of(within + 4 * r, group));
    float c[4] = {};
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%10,%11,%12,%13};"
        : "=f"(c[0]), "=f"(c[1]), "=f"(c[2]), "=f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(0.f), "f"(0.f),
          "f"(0.f), "f"(0.f));
    for (int i = 0; i < 4; ++i) tf[(group + i / 2 * 8) * 8 + 2 * within + i % 2] = c[i];

    for (auto& word : a) word = 0;
    for (auto& word : b) word = 0;
    for (int r = 0; r < 4; ++r)
        for (int i = 0; i < 4; ++i)
            a[r] |= (static_cast<unsigned>(static_cast<int>(
                         left_of(group + r % 2 * 8, 4 * within + i + r / 2 * 16))) &
                     255)
                    << (8 * i);
    for (int r = 0; r < 2; ++r)
        for (int i = 0; i < 4; ++i)
            b[r] |=
                (static_cast<unsigned>(static_cast<int>(right_of(4 * within + i + 16 * r, group))) &
                 255)
                << (8 * i);
    int sums[4] = {};
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%0,%1,%2,%3};"
        : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    for (int i = 0; i < 4; ++i) bytes[(group + i / 2 * 8) * 8 + 2 * within + i % 2] = sums[i];

    double d[2] = {};
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+d"(d[0]), "+d"(d[1])
                 : "d"(static_cast<double>(left_of(group, within))),
                   "d"(static_cast<double>(right_of(within, group))));
    for (int i = 0; i < 2; ++i) wide[group * 8 + 2 * within + i] = d[i];
}

// A matrix loaded with its columns as rows, and stored again.
__global__ void turned(unsigned short* out) {
    __shared__ __align__(16) unsigned short m[64], n[64];
    const unsigned lane = threadIdx.x;
    for (unsigned i = lane; i < 64; i += 32) m[i] = static_cast<unsigned short>(i);
    __syncwarp();
    unsigned word;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
                 : "=r"(word)
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(m + lane % 8 * 8))));
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(n + lane % 8 * 8))),
                 "r"(word));
    for (unsigned i = lane; i < 64; i += 32) out[i] = n[i];
}

__global__ void narrow_sums(unsigned* out) {
    const unsigned one_two = 0x40003c00, three = 0x42004200;  // halves: 1 and 2; 3 and 3
    asm("add.f16x2 %0, %1, %2;" : "=r"(out[0]) : "r"(one_two), "r"(three));
    asm("fma.rn.f16x2 %0, %1, %2, %1;  /* a b + a */" : "=r"(out[1]) : "r"(one_two), "r"(three));
    asm("mul.bf16x2 %0, %1, %2;" : "=r"(out[2]) : "r"(0x40003f80), "r"(0x40404040));
    float wide;
    asm("cvt.f32.bf16 %0, %1;" : "=f"(wide) : "h"(static_cast<unsigned short>(0x4049)));
    out[3] = wide == 3.140625f;
    out[4] = to_half(1e6f) == 0x7c00 && to_brain(1.00390625f) == 0x3f80;  // too large; to even
}

int main() {
    float *out = managed<float>(128), *more = managed<float>(128);
    int* bytes = managed<int>(128);
    double* wide = managed<double>(64);
    unsigned* words = managed<unsigned>(8);
    unsigned short* shorts = managed<unsigned short>(64);
    const auto left = [](int row, int k) { return static_cast<float>((row * 5 + k * 3) % 7 - 3); };
    const auto right = [](int k, int column) {
        return static_cast<float>((k * 2 + column * 7) % 5 - 2);
    };
    const auto product = [&](int depth, int row, int column) {
        float sum = 0;
        for (int k = 0; k < depth; ++k) sum += left(row, k) * right(k, column);
        return sum;
    };
    halves_16<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    for (int i = 0; i < 128; ++i)
        MUST(out[i] == product(16, i / 8, i % 8) + static_cast<float>(i / 8 - i % 8));
    narrow_8<<<1, 32>>>(out, more);
    cudaDeviceSynchronize();
    for (int i = 0; i < 128; ++i) {
        const float want = product(8, i / 8, i % 8) + static_cast<float>(i / 8 - i % 8);
        MUST(out[i] == want && more[i] == want);
    }
    floats_and_bytes<<<1, 32>>>(out, bytes, wide);
    cudaDeviceSynchronize();
    for (int i = 0; i < 128; ++i) {
        MUST(out[i] == product(8, i / 8, i % 8));
        MUST(static_cast<float>(bytes[i]) == product(32, i / 8, i % 8));
        if (i < 64) MUST(wide[i] == static_cast<double>(product(4, i / 8, i % 8)));
    }
    turned<<<1, 32>>>(shorts);
    cudaDeviceSynchronize();
    for (int i = 0; i < 64; ++i) MUST(shorts[i] == i % 8 * 8 + i / 8);
    narrow_sums<<<1, 1>>>(words);
    cudaDeviceSynchronize();
    MUST(words[0] == 0x45004400);  // 4 and 5
    MUST(words[1] == 0x48004400);  // 4 and 8
    MUST(words[2] == 0x40c04040);  // 3 and 6
    MUST(words[3] == 1 && words[4] == 1);
    return verdict();
}
