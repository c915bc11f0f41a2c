// half and bfloat16: fused multiply-add bit for bit (the expected values were computed with exact
// rational numbers, rounded once), arithmetic, functions, conversions and atomics.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "check.h"

struct fused {
    unsigned short a, b, c, expected;
};
// clang-format off
static const fused of_half[] = {
    {0x3c01, 0x3e00, 0x1, 0x3e02},
    {0x3c01, 0x3e00, 0x8001, 0x3e01},
    {0x3c03, 0x3e00, 0x1, 0x3e05},
    {0x3c03, 0x3e00, 0x8001, 0x3e04},
    {0x3c01, 0x3c01, 0xbc00, 0x1800},
    {0x7bff, 0x3c00, 0x7bff, 0x7c00},
    {0x1, 0x1, 0x3c00, 0x3c00},
    {0x1, 0x1, 0x8001, 0x8001},
    {0xcfb2, 0xcb6b, 0x3737, 0x5f24},
    {0xda74, 0x3536, 0xb73d, 0xd43b},
    {0xa3ed, 0xcaf4, 0xb00f, 0x2da9},
    {0x2424, 0xb81e, 0x425d, 0x4259},
    {0x468f, 0x4aa6, 0xc11c, 0x554a},
    {0xcfba, 0x3f08, 0x441e, 0xd247},
    {0xc46e, 0xb129, 0xb011, 0x38b3},
    {0x1cd6, 0x43eb, 0x4c4a, 0x4c4b},
    {0xb6b3, 0x413e, 0xada3, 0xbcbe},
    {0x3ad3, 0x35dc, 0xb63c, 0xacf2},
    {0xc0c3, 0x2e93, 0x31ae, 0xac4b},
    {0x3775, 0xc38a, 0x3993, 0xbc3e},
    {0x2bf5, 0x3908, 0x4752, 0x475c},
    {0x444c, 0xba8b, 0xb579, 0xc3b6},
    {0x4bd6, 0xda4c, 0x4282, 0xea29},
    {0xbce9, 0xb8c2, 0x46bf, 0x477a},
    {0xc850, 0x2c6f, 0xc505, 0xc59e},
    {0x41ae, 0x5a14, 0x34e9, 0x6051},
    {0xcf68, 0x24d9, 0x3513, 0xb3ce},
    {0x483d, 0x3979, 0x2d72, 0x45e2},
    {0xc152, 0xdfc9, 0x47b1, 0x6535},
    {0xc16e, 0xc022, 0xc44c, 0x3d41},
    {0xb13e, 0xb44a, 0xc178, 0xc162},
    {0xa3be, 0xafda, 0x42bd, 0x42be},
    {0xb36d, 0xadff, 0x9ea6, 0x23cf},
    {0xc40c, 0x245c, 0xa907, 0xaeed},
    {0x43bc, 0x55d9, 0xa700, 0x5da7},
    {0x1e67, 0x40eb, 0x2b1e, 0x2c8b},
    {0x5b95, 0x3c92, 0xb4ad, 0x5c54},
    {0x4b91, 0x3ea9, 0xb9b9, 0x4e1f},
    {0x38e0, 0x448b, 0x4359, 0x4671},
    {0xb7eb, 0x35cd, 0xbcdb, 0xbd93},
    {0x7801, 0x3e00, 0x8001, 0x7a01},
    {0x7801, 0x3e00, 0x0, 0x7a02},
    {0x7c00, 0x3c00, 0x3c00, 0x7c00},
    {0x7c00, 0x0, 0x3c00, 0x7fff},
};
static const fused of_bfloat16[] = {
    {0x3f81, 0x3fc0, 0x1, 0x3fc2},
    {0x3f81, 0x3fc0, 0x8001, 0x3fc1},
    {0x3f83, 0x3fc0, 0x1, 0x3fc5},
    {0x3f83, 0x3fc0, 0x8001, 0x3fc4},
    {0x3f81, 0x3f81, 0xbf80, 0x3c80},
    {0x7f7f, 0x3f80, 0x7f7f, 0x7f80},
    {0x1, 0x1, 0x3f80, 0x3f80},
    {0x1, 0x1, 0x8001, 0x8001},
    {0xc0c2, 0xc06b, 0x3e89, 0x41b4},
    {0xbfcd, 0xbfad, 0xbd91, 0x4006},
    {0x4103, 0xbf12, 0x3e8d, 0xc08d},
    {0xc1d1, 0xbe19, 0x4016, 0x40c8},
    {0xb0bc, 0x4716, 0xbfac, 0xbfac},
    {0xc6c2, 0xc460, 0xc065, 0x4baa},
    {0x4d0b, 0x40b9, 0xbf71, 0x4e49},
    {0xc048, 0xcce5, 0x4153, 0x4db3},
    {0xbeee, 0xce0f, 0xbf31, 0x4d85},
    {0xbffd, 0xbfdb, 0xbf8a, 0x4013},
    {0x4046, 0x3ff5, 0xbf6f, 0x40a0},
    {0xc004, 0x40d7, 0x407f, 0xc11e},
    {0xcd42, 0x46f9, 0xbe1c, 0xd4bd},
    {0xc1a5, 0xc215, 0xc0f4, 0x443e},
    {0x38d5, 0x3f6c, 0xc0a2, 0xc0a2},
    {0x4034, 0xb400, 0x3cc4, 0x3cc4},
    {0xc0b3, 0xca48, 0x4058, 0x4b8c},
    {0xbec4, 0xc0fa, 0x3fbc, 0x408f},
    {0x3eb7, 0x418d, 0xc003, 0x4088},
    {0xbee3, 0x3e93, 0xbea4, 0xbee5},
    {0x404f, 0x3e5d, 0xb441, 0x3f33},
    {0xb899, 0xc137, 0xc034, 0xc034},
    {0x4444, 0xc09b, 0xb745, 0xc56d},
    {0xc311, 0xbf97, 0xc076, 0x4327},
    {0xbf7f, 0x3ef1, 0xbf0b, 0xbf82},
    {0x40b7, 0xc1da, 0x3f50, 0xc31b},
    {0x4a0c, 0xc0ad, 0xbe40, 0xcb3d},
    {0x48c0, 0x4b66, 0x4003, 0x54ad},
    {0xc0c1, 0x3f98, 0x3e96, 0xc0dc},
    {0xbfd6, 0x4091, 0x3f61, 0xc0d6},
    {0x3fbb, 0x41b7, 0x4081, 0x4216},
    {0x46ec, 0x3f3a, 0x4075, 0x46ab},
};
// clang-format on
constexpr int halves = sizeof(of_half) / sizeof(fused);
constexpr int bfloats = sizeof(of_bfloat16) / sizeof(fused);

// By the intrinsic and by the instruction.
__global__ void multiply_add(const fused* h, const fused* b, unsigned short* out) {
    for (int i = 0; i < halves; ++i) {
        *out++ = __half_as_ushort(
            __hfma(__ushort_as_half(h[i].a), __ushort_as_half(h[i].b), __ushort_as_half(h[i].c)));
        asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(*out++) : "h"(h[i].a), "h"(h[i].b), "h"(h[i].c));
    }
    for (int i = 0; i < bfloats; ++i) {
        *out++ =
            __bfloat16_as_ushort(__hfma(__ushort_as_bfloat16(b[i].a), __ushort_as_bfloat16(b[i].b),
                                        __ushort_as_bfloat16(b[i].c)));
        asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(*out++) : "h"(b[i].a), "h"(b[i].b), "h"(b[i].c));
    }
}

// All halves, and the floats at and beside the middle between two.
__global__ void convert(int* wrong) {
    const unsigned bits = blockIdx.x * blockDim.x + threadIdx.x;
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const auto value_of = [](int exponent, int fraction) {
        return exponent == 0 ? ldexpf(fraction, -24) : ldexpf(fraction + 1024, exponent - 25);
    };
    const auto half_at = [](unsigned bits) { return __ushort_as_half((unsigned short)bits); };
    const auto becomes = [&](float value, unsigned wanted) {
        if (__half_as_ushort(__float2half(value)) != wanted ||
            __half_as_ushort(__float2half_rn(value)) != wanted)
            atomicAdd(wrong, 1);
    };
    if (exponent == 31) {
        const bool is_nan = fraction != 0;
        const unsigned wanted = is_nan ? 0x7fffffff : (bits & 0x8000) << 16 | 0x7f800000;
        if (__float_as_uint(__half2float(half_at(bits))) != wanted) atomicAdd(wrong, 1);
        becomes(__uint_as_float(wanted), is_nan ? 0x7fff : bits);
        return;
    }
    const float sign = (bits & 0x8000) != 0 ? -1 : 1, value = sign * value_of(exponent, fraction);
    if (__float_as_uint(__half2float(half_at(bits))) != __float_as_uint(value)) atomicAdd(wrong, 1);
    // Behind the largest one comes 65536, as whose half infinity counts.
    const float next =
        sign * (fraction < 1023 ? value_of(exponent, fraction + 1) : value_of(exponent + 1, 0));
    const float middle = (value + next) / 2;
    becomes(value, bits);
    becomes(nextafterf(middle, value), bits);
    becomes(nextafterf(middle, next), bits + 1);
    becomes(middle, bits + (bits & 1));
}

#define CHECK(value, expected) out[i++] = {(float)(value), (float)(expected), 0, __LINE__};
#define NEAR(value, expected) out[i++] = {(float)(value), (float)(expected), 2e-3f, __LINE__};
#define ROUGH(value, expected) out[i++] = {(float)(value), (float)(expected), 1e-2f, __LINE__};

__global__ void compute(computed<float>* out, int* n, float two) {
    int i = 0;
    const __half h = __float2half(two);
    const __nv_bfloat16 b = __float2bfloat16(two);
    CHECK(__half2float(__hadd(h, __float2half(0.5f))), 2.5)
    CHECK(__half2float(h * h - h / h), 3)
    CHECK(__bfloat162float(b * b + b), 6)
    CHECK(h > __float2half(1.0f), 1)
    CHECK(__half2float(__float2half(two + 0.0009765625f)), 2)  // a tie: to even
    CHECK(__half2float(__float2half(two + 0.0029296875f)), 2.00390625)
    CHECK(__half2float(__float2half(32760.0f * two)), INFINITY)
    CHECK(__half2float(__float2half_rz(32760.0f * two)), 65504)
    NEAR(__half2float(hexp(h)), 7.38905609893065)
    NEAR(__half2float(hlog(h)), 0.693147180559945)
    NEAR(__half2float(hsqrt(h)), 1.4142135623730951)
    NEAR(__half2float(hrsqrt(h)), 0.7071067811865476)
    NEAR(__half2float(hrcp(h)), 0.5)
    NEAR(__half2float(hsin(h)), 0.9092974268256817)
    NEAR(__half2float(htanh(h)), 0.9640275800758169)
    CHECK(__half2float(hfloor(__float2half(-1.25f * two))), -3)
    CHECK(__half2float(hrint(__float2half(1.25f * two))), 2)
    ROUGH(__bfloat162float(hexp(b)), 7.38905609893065)
    ROUGH(__bfloat162float(hsqrt(b)), 1.4142135623730951)
    const __half2 pair = __floats2half2_rn(two, 3.0f);
    const __half2 fma = __hfma2(pair, pair, pair);
    CHECK(__low2float(fma), 6)
    CHECK(__high2float(fma), 12)
    const __half2 powers = h2exp2(pair);
    CHECK(__low2float(powers), 4)
    CHECK(__high2float(powers), 8)
    __half2 cleared[2] = {pair, fma};
    __half2 alone = pair;
    int plain = 3;
    cleared[1] = {};
    if (two < 0)
        plain = 4;
    else
        alone = {};
    plain = {};
    CHECK(__high2float(cleared[0]), 3)
    CHECK(__high2float(cleared[1]), 0)
    CHECK(__low2float(alone) + plain, 0)
    CHECK(__half2int_rn(__float2half(1.25f * two)), 2)
    CHECK(__half2int_ru(__float2half(1.25f * two)), 3)
    CHECK(__half2int_rd(__float2half(-1.25f * two)), -3)
    CHECK(__half2short_rn(__float2half(32752.0f * two)), 32767)
    CHECK(__half2float(__hmax(h, __float2half(1.0f))), 2)
    CHECK(__half2float(__hfma_sat(h, h, h)), 1)
    CHECK(__half2float(__hfma_relu(h, __hneg(h), h)), 0)
    *n = i;
}

struct sums {
    __half2 pair;
    __nv_bfloat162 wide;
    __half one[2];
    __nv_bfloat16 narrow[2];
};
__global__ void add(sums* s) {
    atomicAdd(&s->pair, __floats2half2_rn(1.0f, 2.0f));
    atomicAdd(&s->wide, __floats2bfloat162_rn(1.0f, 2.0f));
    atomicAdd(&s->one[1], __float2half(1.0f));
    atomicAdd(&s->narrow[1], __float2bfloat16(1.0f));
}

int main() {
    fused* h = device(std::vector<fused>(of_half, of_half + halves));
    fused* b = device(std::vector<fused>(of_bfloat16, of_bfloat16 + bfloats));
    unsigned short* device_out = device<unsigned short>(2 * (halves + bfloats));
    multiply_add<<<1, 1>>>(h, b, device_out);
    const std::vector<unsigned short> out = taken(device_out, 2 * (halves + bfloats));
    for (int i = 0; i < 2 * halves; ++i) expect("half", i, out[i], of_half[i / 2].expected);
    for (int i = 0; i < 2 * bfloats; ++i)
        expect("bfloat16", i, out[2 * halves + i], of_bfloat16[i / 2].expected);

    int* not_converted = device(std::vector<int>{0});
    convert<<<256, 256>>>(not_converted);
    expect("halves that convert otherwise", 0, taken(not_converted, 1)[0], 0);

    check_computed<float>(100, [](auto* out, int* n) { compute<<<1, 1>>>(out, n, 2.0f); });

    auto* device_sums = device<sums>(1);
    OK(cudaMemset(device_sums, 0, sizeof(sums)));
    add<<<8, 16>>>(device_sums);
    const std::vector<unsigned short> after =
        taken(reinterpret_cast<unsigned short*>(device_sums), 8);
    // 128 and 256 as half and as bfloat16.
    const unsigned short totals[8] = {0x5800, 0x5c00, 0x4300, 0x4380, 0, 0x5800, 0, 0x4300};
    for (int i = 0; i < 8; ++i) expect("sum", i, after[i], totals[i]);
    cudaFree(h), cudaFree(b);
    return verdict();
}
