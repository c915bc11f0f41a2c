// Floats and bfloat16 in device memory, single and in vectors. They are computed with as floats.
#pragma once

#include <cuda_bf16.h>

namespace cuset::kernels {

__device__ inline float widened(float x) { return x; }
__device__ inline float widened(__nv_bfloat16 x) { return __bfloat162float(x); }

/// The elements of 16 bytes as floats.
__device__ inline void unpack(uint4 v, float (&x)[4]) {
    x[0] = __uint_as_float(v.x);
    x[1] = __uint_as_float(v.y);
    x[2] = __uint_as_float(v.z);
    x[3] = __uint_as_float(v.w);
}
__device__ inline void unpack(uint4 v, float (&x)[8]) {
    const unsigned words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        x[2 * i] = __uint_as_float(words[i] << 16);
        x[2 * i + 1] = __uint_as_float(words[i] & 0xffff0000U);
    }
}

__device__ inline void put(float x, float* to) { *to = x; }
__device__ inline void put(float x, __nv_bfloat16* to) { *to = __float2bfloat16_rn(x); }

/// Two bfloat16, the first in the low half.
__device__ inline unsigned pair_of(float first, float second) {
    const unsigned low = __bfloat16_as_ushort(__float2bfloat16_rn(first));
    const unsigned high = __bfloat16_as_ushort(__float2bfloat16_rn(second));
    return low | high << 16;
}
__device__ inline void put_vector(const float (&x)[4], float* to) {
    *reinterpret_cast<float4*>(to) = make_float4(x[0], x[1], x[2], x[3]);
}
__device__ inline void put_vector(const float (&x)[4], __nv_bfloat16* to) {
    *reinterpret_cast<uint2*>(to) = make_uint2(pair_of(x[0], x[1]), pair_of(x[2], x[3]));
}
__device__ inline void put_vector(const float (&x)[8], float* to) {
    reinterpret_cast<float4*>(to)[0] = make_float4(x[0], x[1], x[2], x[3]);
    reinterpret_cast<float4*>(to)[1] = make_float4(x[4], x[5], x[6], x[7]);
}
__device__ inline void put_vector(const float (&x)[8], __nv_bfloat16* to) {
    *reinterpret_cast<uint4*>(to) = make_uint4(pair_of(x[0], x[1]), pair_of(x[2], x[3]),
                                               pair_of(x[4], x[5]), pair_of(x[6], x[7]));
}

}  // namespace cuset::kernels
