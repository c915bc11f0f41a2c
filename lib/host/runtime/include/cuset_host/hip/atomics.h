// What HIP's atomics have beyond CUDA's: floats and doubles that are compared, and unsigned long,
// which is no unsigned long long.
#pragma once

#include "cuset_host/threads/atomics.h"

CUSET_HOST_ATOMIC(atomicMin, float, atomic_replace(address, value, line, cuset_host::less_of()))
CUSET_HOST_ATOMIC(atomicMin, double, atomic_replace(address, value, line, cuset_host::less_of()))
CUSET_HOST_ATOMIC(atomicMax, float, atomic_replace(address, value, line, cuset_host::greater_of()))
CUSET_HOST_ATOMIC(atomicMax, double, atomic_replace(address, value, line, cuset_host::greater_of()))
CUSET_HOST_ATOMIC(atomicSub, float, atomic_replace(address, -value, line, cuset_host::sum_of()))
CUSET_HOST_ATOMIC(atomicSub, double, atomic_replace(address, -value, line, cuset_host::sum_of()))
CUSET_HOST_ATOMIC(atomicSub, unsigned long long, atomic_add(address, 0 - value, line))
CUSET_HOST_ATOMIC(atomicExch, double, atomic_exchange(address, value, line))

// The same eight bytes. g++ takes them for another type, but GPUs do not.
#define CUSET_HOST_HIP_ATOMIC_OF_LONG(name)                                                      \
    inline unsigned long name(unsigned long* address, unsigned long value,                       \
                              int line = __builtin_LINE()) {                                     \
        return name(reinterpret_cast<unsigned long long*>(address),                              \
                    static_cast<unsigned long long>(value), line);                               \
    }
#define CUSET_HOST_HIP_ATOMIC_LONG(name)         \
    CUSET_HOST_HIP_ATOMIC_OF_LONG(name)          \
    CUSET_HOST_HIP_ATOMIC_OF_LONG(name##_system)
CUSET_HOST_HIP_ATOMIC_LONG(atomicAdd)
CUSET_HOST_HIP_ATOMIC_LONG(atomicSub)
CUSET_HOST_HIP_ATOMIC_LONG(atomicExch)
CUSET_HOST_HIP_ATOMIC_LONG(atomicMin)
CUSET_HOST_HIP_ATOMIC_LONG(atomicMax)
CUSET_HOST_HIP_ATOMIC_LONG(atomicAnd)
CUSET_HOST_HIP_ATOMIC_LONG(atomicOr)
CUSET_HOST_HIP_ATOMIC_LONG(atomicXor)
inline unsigned long atomicCAS(unsigned long* address, unsigned long compare, unsigned long value,
                               int line = __builtin_LINE()) {
    return atomicCAS(reinterpret_cast<unsigned long long*>(address),
                     static_cast<unsigned long long>(compare),
                     static_cast<unsigned long long>(value), line);
}
inline float atomicCAS(float* address, float compare, float value, int line = __builtin_LINE()) {
    const unsigned before = atomicCAS(reinterpret_cast<unsigned*>(address),
                                      __builtin_bit_cast(unsigned, compare),
                                      __builtin_bit_cast(unsigned, value), line);
    return __builtin_bit_cast(float, before);
}
inline double atomicCAS(double* address, double compare, double value,
                        int line = __builtin_LINE()) {
    const unsigned long long before =
        atomicCAS(reinterpret_cast<unsigned long long*>(address),
                  __builtin_bit_cast(unsigned long long, compare),
                  __builtin_bit_cast(unsigned long long, value), line);
    return __builtin_bit_cast(double, before);
}
