// Floats of 8 bits in inline PTX against CUDA's own conversions: cvt of all their values and of
// floats around them, and mma.sync against plain loops.
#include <cuda_fp8.h>

#include <cstdint>

#include "check.h"

__device__ unsigned short two_e4m3(float upper, float lower) {
    unsigned short made;
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(made) : "f"(upper), "f"(lower));
    return made;
}
__device__ unsigned short two_e5m2(float upper, float lower) {
    unsigned short made;
    asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(made) : "f"(upper), "f"(lower));
    return made;
}

__global__ void convert(const float* in, int n, unsigned short* e4m3, unsigned short* e5m2,
                        unsigned* widened) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        e4m3[i] = two_e4m3(in[i], -in[i]);
        e5m2[i] = two_e5m2(in[i], -in[i]);
    }
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        const auto both = static_cast<unsigned short>(i << 8 | (255 - i));
        asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(widened[i]) : "h"(both));
        asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(widened[256 + i]) : "h"(both));
    }
}

// 16 x 32 times 32 x 8, with the layouts of PTX's manual.
__global__ void product(const std::uint8_t* a, const std::uint8_t* b, float* d) {
    const int lane = threadIdx.x, group = lane / 4, within = lane % 4;
    unsigned ra[4], rb[2];
    for (int r = 0; r < 4; ++r)
        std::memcpy(&ra[r], a + (group + r % 2 * 8) * 32 + within * 4 + r / 2 * 16, 4);
    for (int r = 0; r < 2; ++r) {
        std::uint8_t column[4];
        for (int i = 0; i < 4; ++i) column[i] = b[(within * 4 + i + r * 16) * 8 + group];
        std::memcpy(&rb[r], column, 4);
    }
    float c[4] = {0.5F, 0, 0, 0};
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
    for (int i = 0; i < 4; ++i) d[(group + i / 2 * 8) * 8 + within * 2 + i % 2] = c[i];
}

static float value_of(std::uint8_t bits, __nv_fp8_interpretation_t kind) {
    return __half2float(__half(__nv_cvt_fp8_to_halfraw(bits, kind)));
}

int main() {
    constexpr int n = 4096;
    float* in = managed<float>(n);
    unsigned short *e4m3 = managed<unsigned short>(n), *e5m2 = managed<unsigned short>(n);
    unsigned* wide = managed<unsigned>(512);
    unsigned state = 12345;
    for (int i = 0; i < n; ++i) {
        state = state * 1664525U + 1013904223U;
        // Exponents that both types have, and some beyond; ties between neighbours among them.
        const unsigned exponent = 127 - 20 + state % 40, fraction = (state >> 8) & 0x7fffff;
        const unsigned bits = exponent << 23 | (i % 3 == 0 ? fraction & 0x780000 : fraction);
        std::memcpy(&in[i], &bits, 4);
    }
    in[0] = 0, in[1] = 448, in[2] = 464, in[3] = 57344, in[4] = 1e30F, in[5] = 0x1p-10F;
    convert<<<1, 128>>>(in, n, e4m3, e5m2, wide);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) {
        const auto both = [&](__nv_fp8_interpretation_t kind) {
            return __nv_cvt_float_to_fp8(in[i], __NV_SATFINITE, kind) << 8 |
                   __nv_cvt_float_to_fp8(-in[i], __NV_SATFINITE, kind);
        };
        MUST(e4m3[i] == both(__NV_E4M3));
        MUST(e5m2[i] == both(__NV_E5M2));
    }
    for (int i = 0; i < 256; ++i)
        for (const bool is_upper : {true, false})
            for (const auto kind : {__NV_E4M3, __NV_E5M2}) {
                const unsigned word = wide[(kind == __NV_E4M3 ? 0 : 256) + i];
                const auto bits = static_cast<std::uint8_t>(is_upper ? i : 255 - i);
                const auto expected = __nv_cvt_fp8_to_halfraw(bits, kind).x;
                const unsigned found = is_upper ? word >> 16 : word & 0xffff;
                const bool is_nan = (expected & 0x7fff) > 0x7c00;
                MUST(is_nan ? (found & 0x7fff) > 0x7c00 : found == expected);
            }

    std::uint8_t *a, *b;
    float* d;
    cudaMallocManaged(&a, 16 * 32);
    cudaMallocManaged(&b, 32 * 8);
    cudaMallocManaged(&d, 16 * 8 * sizeof *d);
    for (int i = 0; i < 16 * 32; ++i)
        a[i] = __nv_cvt_float_to_fp8(static_cast<float>(i * 7 % 13 - 6), __NV_SATFINITE, __NV_E4M3);
    for (int i = 0; i < 32 * 8; ++i)
        b[i] =
            __nv_cvt_float_to_fp8(static_cast<float>(i * 5 % 9 - 4) / 2, __NV_SATFINITE, __NV_E5M2);
    product<<<1, 32>>>(a, b, d);
    OK(cudaDeviceSynchronize());
    for (int row = 0; row < 16; ++row)
        for (int column = 0; column < 8; ++column) {
            float sum = row < 8 && column % 2 == 0 ? 0.5F : 0;
            for (int k = 0; k < 32; ++k)
                sum +=
                    value_of(a[row * 32 + k], __NV_E4M3) * value_of(b[k * 8 + column], __NV_E5M2);
            MUST(d[row * 8 + column] == sum);
        }
    return verdict();
}
