// __half and __nv_bfloat16: exact arithmetic, rounding to nearest even, pairs, comparisons.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "check.h"

constexpr int fields = 22;

__global__ void of_half(float* o) {
    const __half a = __float2half(1.5f), b = __float2half(-0.25f), c = __int2half_rn(3);
    int k = 0;
    o[k++] = __half2float(__hadd(a, b));
    o[k++] = __half2float(__hmul(a, c));
    o[k++] = __half2float(__hsub(c, a));
    o[k++] = __half2float(__hfma(a, b, c));
    o[k++] = __half2float(__hdiv(c, a));
    o[k++] = __half2float(a + b * c);
    o[k++] = __half2float(__hmax(a, b)) + __half2float(__hmin(a, b));
    o[k++] = __half2float(__hneg(a)) + __half2float(__habs(b));
    o[k++] = __hgt(a, b) * 8 + __hlt(a, b) * 4 + __heq(a, a) * 2 + __hge(b, c);
    o[k++] = (a > b) * 8 + (a < b) * 4 + (a == a) * 2 + (a != b);
    // Ties go to even: 2049 lies between 2048 and 2050, 2051 between 2050 and 2052.
    o[k++] = __half2float(__float2half(2049.0f));
    o[k++] = __half2float(__float2half_rn(2051.0f));
    o[k++] = __half2float(__float2half_rz(2051.9f));
    o[k++] = isinf(__half2float(__float2half(70000.0f)));
    o[k++] = __half_as_ushort(__float2half(1.0f));
    o[k++] = __half2float(__ushort_as_half(0x0001)) * 16777216.0f;
    const __half2 p = __floats2half2_rn(1.0f, 2.0f), q = __half2half2(c);
    const __half2 r = __hfma2(p, q, __hadd2(p, q));
    o[k++] = __low2float(r);
    o[k++] = __high2float(r);
    const float2 f = __half22float2(__hmul2(p, __lowhigh2highlow(p)));
    o[k++] = f.x + f.y;
    o[k++] = float(hsqrt(__float2half(6.25f)));
    o[k++] = __half2int_rn(__float2half(2.5f)) * 10 + __half2int_rz(__float2half(-2.5f));
    o[k++] = sizeof(__half) * 10 + sizeof(__half2);
}

__global__ void of_bfloat16(float* o) {
    const __nv_bfloat16 a = __float2bfloat16(1.5f), b = __float2bfloat16(-0.25f);
    int k = 0;
    o[k++] = __bfloat162float(__hadd(a, b));
    o[k++] = __bfloat162float(a * a);
    o[k++] = __bfloat162float(__hfma(a, b, a));
    // Eight bits: 257 is between 256 and 258, 259 between 258 and 260.
    o[k++] = __bfloat162float(__float2bfloat16(257.0f));
    o[k++] = __bfloat162float(__float2bfloat16_rn(259.0f));
    o[k++] = __bfloat16_as_ushort(a);
    const __nv_bfloat162 p = __floats2bfloat162_rn(1.0f, 2.0f);
    o[k++] = __low2float(__hmul2(p, p)) + 10 * __high2float(__hadd2(p, p));
    o[k++] = __hgt(a, b) * 2 + (a < b);
    const float2 f = __bfloat1622float2(p);
    o[k++] = f.x * 10 + f.y;
}

// Kernels as models write them: half in memory, float sums, pairs at a time.
__global__ void scale(const __half* in, __half* out, int n, float factor) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __float2half(__half2float(in[i]) * factor);
}
__global__ void add_pairs(const __half2* a, const __half2* b, __half2* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = __hadd2(a[i], b[i]);
}
__global__ void warp_sum(const __half* in, float* out) {
    __half value = in[threadIdx.x];
    for (int step = 16; step > 0; step /= 2)
        value = __hadd(value, __shfl_down_sync(0xffffffffu, value, step));
    if (threadIdx.x == 0) *out = __half2float(value);
}

int main() {
    float* out = device<float>(fields);
    of_half<<<1, 1>>>(out);
    const std::vector<float> got = taken(out, fields);
    const float want[fields] = {1.25f, 4.5f, 1.5f, 2.625f, 2.0f, 0.75f, 1.25f,  -1.25f,
                                10,    11,   2048, 2052,   2050, 1,     0x3c00, 1,
                                7,     11,   4,    2.5f,   18,   24};
    for (int k = 0; k < fields; ++k) expect("half", k, got[k], want[k]);
    out = device<float>(9);
    of_bfloat16<<<1, 1>>>(out);
    const std::vector<float> brain = taken(out, 9);
    const float wanted[9] = {1.25f, 2.25f, 1.125f, 256, 260, 0x3fc0, 41, 2, 12};
    for (int k = 0; k < 9; ++k) expect("bfloat16", k, brain[k], wanted[k]);

    const int n = 1000;
    std::vector<__half> values(n);
    for (int i = 0; i < n; ++i) values[i] = __float2half(i * 0.5f);
    __half *in = device<__half>(n), *scaled = device<__half>(n), *sums = device<__half>(n);
    OK(cudaMemcpy(in, values.data(), n * sizeof(__half), cudaMemcpyHostToDevice));
    scale<<<4, 256>>>(in, scaled, n, 2.0f);
    add_pairs<<<2, 256>>>((const __half2*)in, (const __half2*)scaled, (__half2*)sums, n / 2);
    float* sum = device<float>(1);
    warp_sum<<<1, 32>>>(in, sum);
    const std::vector<__half> twice = taken(scaled, n), thrice = taken(sums, n);
    for (int i = 0; i < n; ++i) {
        expect("scaled", i, __half2float(twice[i]), i);
        // 1.5 i is exact to 1023.5, and to even units above.
        const float exact = i * 1.5f;
        const int whole = int(exact), even = whole % 2 ? whole + 1 : whole;
        expect("sums", i, __half2float(thrice[i]),
               exact < 1024     ? exact
               : exact == whole ? whole
                                : even);
    }
    expect("sum of a warp", 0, taken(sum, 1)[0], 248);
    OK(cudaFree(in));
    return verdict();
}
