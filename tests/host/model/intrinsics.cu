// Integer and conversion intrinsics, exact ones, and the vector types.
#include "check.h"

constexpr int fields = 34;

__global__ void integers(unsigned x, unsigned y, unsigned long long w, long long* o) {
    int k = 0;
    o[k++] = __popc(x);
    o[k++] = __popcll(w);
    o[k++] = __clz(int(x >> 5));
    o[k++] = __clz(0);
    o[k++] = __clzll((long long)(w >> 9));
    o[k++] = __ffs(int(x << 3));
    o[k++] = __ffs(0);
    o[k++] = __ffsll((long long)(w << 33));
    o[k++] = __brev(x);
    o[k++] = (long long)__brevll(w);
    o[k++] = __byte_perm(x, y, 0x7531);
    o[k++] = __funnelshift_l(x, y, 12);
    o[k++] = __funnelshift_r(x, y, 12);
    o[k++] = __mulhi(int(x), int(y));
    o[k++] = __umulhi(x, y);
    o[k++] = (long long)__umul64hi(w, w);
    o[k++] = __mul24(int(x & 0xffff), 1000);
    o[k++] = __sad(int(x), int(y), 5u);
    o[k++] = __usad(x, y, 5u);
    o[k++] = __dp4a(int(x), int(y), 100);
    o[k++] = __hadd(-7, 4);
    o[k++] = __rhadd(-7, 4);
    o[k++] = __vadd4(x, y);
    o[k++] = __vabsdiffu4(x, y);
    o[k++] = __float_as_int(-1.5f);
    o[k++] = __double_as_longlong(0.1);
    o[k++] = __float2int_rn(2.5f) * 100 + __float2int_rz(-2.7f);
    o[k++] = __float2int_ru(2.1f) * 100 + __float2int_rd(-2.1f);
    o[k++] = __double2int_rn(3.5) * 100 + __double2ll_rz(-9.99);
    o[k++] = int(__int_as_float(0x42280000)) + __double2hiint(1.0);
    o[k++] = (isinf(1.0f / (x - x)) ? 2 : 0) + (isnan(nanf("")) ? 1 : 0);
    o[k++] = min(3, -4) * 10 + int(max(3u, 4u)) + abs(-2) + int(min(2.5f, 7.0f) * 2);
    o[k++] = __fns(x, 0, 2);
    o[k++] = (long long)(__fadd_rn(1.5f, 2.25f) * 4 + __fmaf_rn(2, 3, 4) + __fmul_rn(0.5f, 8) +
                         fmaf(1, 2, 3) + rintf(2.5f) + truncf(-2.5f) + __saturatef(7.0f));
}

__global__ void vectors(float4* out, int2* pairs, uchar4* bytes) {
    const int t = threadIdx.x;
    const float4 v = make_float4(t, t + 0.25f, t + 0.5f, t + 0.75f);
    out[t] = make_float4(v.w, v.z, v.y, v.x);
    const int2 p = {t, -t};
    pairs[t] = p;
    bytes[t] = make_uchar4(t, 2 * t, 3 * t, 255);
    float4* row = reinterpret_cast<float4*>(out + 64);
    if (t < 16) row[t] = reinterpret_cast<const float4*>(out)[t];
}

int main() {
    const unsigned x = 0x12345678u, y = 0x9abcdef0u;
    const unsigned long long w = 0x0123456789abcdefull;
    long long* out = device<long long>(fields);
    integers<<<1, 1>>>(x, y, w, out);
    const std::vector<long long> got = taken(out, fields);
    // Worked out by hand from the definitions in the CUDA Math API.
    const long long tenth = 0x3fb999999999999aLL;
    unsigned absolute = 0, added = 0;
    long long dot = 100;
    for (int b = 0; b < 32; b += 8) {
        const int p = x >> b & 255, q = y >> b & 255;
        absolute |= unsigned(p > q ? p - q : q - p) << b;
        added |= unsigned((p + q) & 255) << b;
        dot += (signed char)p * (signed char)q;
    }
    const long long want[fields] = {13,
                                    32,
                                    8,
                                    32,
                                    16,
                                    7,
                                    0,
                                    34,
                                    0x1e6a2c48,
                                    (long long)0xf7b3d591e6a2c480ull,
                                    0x9ade1256,
                                    0xcdef0123,
                                    0xef012345,
                                    (long long)int(x) * int(y) >> 32,
                                    (long long)((unsigned long long)x * y >> 32),
                                    (long long)(unsigned long long)((unsigned __int128)w * w >> 64),
                                    0x5678 * 1000,
                                    (long long)int(x) - int(y) + 5,
                                    (long long)y - x + 5,
                                    dot,
                                    -2,
                                    -1,
                                    added,
                                    absolute,
                                    (int)0xbfc00000,
                                    tenth,
                                    200 - 2,
                                    300 - 3,
                                    400 - 9,
                                    42 + 0x3ff00000,
                                    3,
                                    -40 + 4 + 2 + 5,
                                    4,
                                    15 + 10 + 4 + 5 + 2 - 2 + 1};
    for (int k = 0; k < fields; ++k) expect("intrinsic", k, got[k], want[k]);

    float4* fours = device<float4>(64 + 16);
    int2* pairs = device<int2>(64);
    uchar4* bytes = device<uchar4>(64);
    vectors<<<1, 64>>>(fours, pairs, bytes);
    const std::vector<float4> f = taken(fours, 80);
    const std::vector<int2> p = taken(pairs, 64);
    const std::vector<uchar4> b = taken(bytes, 64);
    for (int t = 0; t < 80; ++t) {
        const int i = t < 64 ? t : t - 64;
        expect("float4.x", t, f[t].x, i + 0.75f);
        expect("float4.w", t, f[t].w, i);
    }
    for (int t = 0; t < 64; ++t) {
        expect("int2", t, p[t].x * 1000 + p[t].y, t * 999);
        expect("uchar4", t, b[t].x + 256 * b[t].y + 65536 * b[t].z,
               t + 512 * t + 65536 * (3 * t % 256));
    }
    expect("sizes", 0,
           sizeof(float3) == 12 && sizeof(float4) == 16 && alignof(float4) == 16 &&
               sizeof(double2) == 16 && sizeof(char3) == 3 && alignof(int2) == 8,
           1);
    return verdict();
}
