// Loads and stores with a cache hint (__ldg, __ldcs, __stcg …: the hint means nothing here),
// fences, clocks, and the ways to stop.
#pragma once

#include <cuset_host/alignment.h>
#include <cuset_host/cuda_types.h>
#include <cuset_host/threads/execution.h>

namespace cuset_host {

/// Ends the program as __trap() does; the execution engine's.
[[noreturn]] void trap();

/// What a pointer to a wide type points to; numbers of four bytes are left to the compiler.
template <class T>
inline T loaded(const T* from) {
    if constexpr (alignof(T) > 4) require_alignment(from, alignof(T), 0);
    return *from;
}

CUSET_HOST_UNSEEN inline void fence(bool of_block) {
    note_fence(of_block);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

}  // namespace cuset_host

#define CUSET_HOST_LOADS(type)                                                \
    inline type __ldg(const type* from) { return cuset_host::loaded(from); }  \
    inline type __ldcg(const type* from) { return cuset_host::loaded(from); } \
    inline type __ldca(const type* from) { return cuset_host::loaded(from); } \
    inline type __ldcs(const type* from) { return cuset_host::loaded(from); } \
    inline type __ldlu(const type* from) { return cuset_host::loaded(from); } \
    inline type __ldcv(const type* from) {                                    \
        __atomic_signal_fence(__ATOMIC_SEQ_CST);                              \
        return cuset_host::loaded(from);                                      \
    }                                                                         \
    inline void __stwb(type* to, type value) { *to = value; }                 \
    inline void __stcg(type* to, type value) { *to = value; }                 \
    inline void __stcs(type* to, type value) { *to = value; }                 \
    inline void __stwt(type* to, type value) {                                \
        *to = value;                                                          \
        __atomic_signal_fence(__ATOMIC_SEQ_CST);                              \
    }
CUSET_HOST_LOADS(char)
CUSET_HOST_LOADS(signed char)
CUSET_HOST_LOADS(unsigned char)
CUSET_HOST_LOADS(short)
CUSET_HOST_LOADS(unsigned short)
CUSET_HOST_LOADS(int)
CUSET_HOST_LOADS(unsigned)
CUSET_HOST_LOADS(long)
CUSET_HOST_LOADS(unsigned long)
CUSET_HOST_LOADS(long long)
CUSET_HOST_LOADS(unsigned long long)
CUSET_HOST_LOADS(float)
CUSET_HOST_LOADS(double)
CUSET_HOST_LOADS(char2)
CUSET_HOST_LOADS(char4)
CUSET_HOST_LOADS(uchar2)
CUSET_HOST_LOADS(uchar4)
CUSET_HOST_LOADS(short2)
CUSET_HOST_LOADS(short4)
CUSET_HOST_LOADS(ushort2)
CUSET_HOST_LOADS(ushort4)
CUSET_HOST_LOADS(int2)
CUSET_HOST_LOADS(int4)
CUSET_HOST_LOADS(uint2)
CUSET_HOST_LOADS(uint4)
CUSET_HOST_LOADS(longlong2)
CUSET_HOST_LOADS(ulonglong2)
CUSET_HOST_LOADS(float2)
CUSET_HOST_LOADS(float4)
CUSET_HOST_LOADS(double2)

inline void __threadfence() { cuset_host::fence(false); }
inline void __threadfence_block() { cuset_host::fence(true); }
inline void __threadfence_system() { cuset_host::fence(false); }

inline long long clock64() {
#if defined(__x86_64__)
    return static_cast<long long>(__builtin_ia32_rdtsc());
#else
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
#endif
}

namespace cuset_host {
/// clock() in a function that kernels may call.
inline clock_t clock_of_place() {
    return is_in_kernel() ? static_cast<clock_t>(clock64()) : ::clock();
}
}  // namespace cuset_host

[[noreturn]] inline void __trap() { cuset_host::trap(); }
[[noreturn]] inline void __brkpt() { cuset_host::trap(); }
inline void __prof_trigger(int) {}
inline void __nanosleep(unsigned) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    cuset_host::note_pause();
}

#define __assume(condition) static_cast<void>(0)
#define __builtin_assume(condition) static_cast<void>(0)
