// Reads the toolkit's cuda_fp16.h, with half to float and back by the processor's instructions: the
// toolkit's own conversions for a host compiler are integer operations, branches and a loop.
//
// The toolkit's header is read with these names as macros. Each gives the function one argument
// more, in words that declare a reference where the header declares the function, and make a value
// where it calls it:
//
//   float __half2float(const __half a)   float cuset_host_half2float(const __half a, place(&here))
//   __half2float(a)                      cuset_host_half2float(a, place(&here))
//
// A value does not bind to the reference, so that all calls mean the function that takes a `place`
// by value, which is the one defined here.
#pragma once

#include <cuset_host/math/narrow_floats.h>

namespace cuset_host {

struct place {
    explicit constexpr place(const void*) {}
};

}  // namespace cuset_host

constexpr char cuset_host_here = 0;
struct __half;
inline float cuset_host_half2float(__half a, cuset_host::place);
inline __half cuset_host_float2half(float a, cuset_host::place);
inline __half cuset_host_float2half_rn(float a, cuset_host::place);
inline float cuset_host_internal_half2float(unsigned short a, cuset_host::place) {
    return cuset_host::half_value(a);
}

#define CUSET_HOST_PLACE ::cuset_host::place(&cuset_host_here)
#define __half2float(...) cuset_host_half2float(__VA_ARGS__, CUSET_HOST_PLACE)
#define __float2half(...) cuset_host_float2half(__VA_ARGS__, CUSET_HOST_PLACE)
#define __float2half_rn(...) cuset_host_float2half_rn(__VA_ARGS__, CUSET_HOST_PLACE)
#define __internal_half2float(...) cuset_host_internal_half2float(__VA_ARGS__, CUSET_HOST_PLACE)
#include_next <cuda_fp16.h>
#undef __half2float
#undef __float2half
#undef __float2half_rn
#undef __internal_half2float
#undef CUSET_HOST_PLACE

inline float __half2float(const __half a) {
    return cuset_host::half_value(static_cast<__half_raw>(a).x);
}
inline __half __float2half(const float a) {
    __half_raw bits;
    bits.x = cuset_host::half_bits(a);
    return bits;
}
inline __half __float2half_rn(const float a) { return __float2half(a); }
inline float cuset_host_half2float(__half a, cuset_host::place) { return __half2float(a); }
inline __half cuset_host_float2half(float a, cuset_host::place) { return __float2half(a); }
inline __half cuset_host_float2half_rn(float a, cuset_host::place) { return __float2half(a); }
