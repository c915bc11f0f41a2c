// nvcc's __nv_atomic functions, on any type of 1, 2, 4 or 8 bytes, atomic for all threads whatever
// scope a program asks for. Their order is that of CUDA's older functions (atomics.h).
#pragma once

#include <cuset_host/threads/atomics.h>

#include <type_traits>

#define __NV_ATOMIC_RELAXED __ATOMIC_RELAXED
#define __NV_ATOMIC_CONSUME __ATOMIC_CONSUME
#define __NV_ATOMIC_ACQUIRE __ATOMIC_ACQUIRE
#define __NV_ATOMIC_RELEASE __ATOMIC_RELEASE
#define __NV_ATOMIC_ACQ_REL __ATOMIC_ACQ_REL
#define __NV_ATOMIC_SEQ_CST __ATOMIC_SEQ_CST
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

#define CUSET_HOST_NV_ATOMIC(name, expression)                                              \
    template <class T>                                                                      \
    inline T __nv_atomic_fetch_##name(T* at, std::common_type_t<T> value, int = 0, int = 0, \
                                      int line = __builtin_LINE()) {                        \
        return cuset_host::atomic_replace(                                                  \
            at, value, line, [](T a, T b) -> T { return static_cast<T>(expression); });     \
    }                                                                                       \
    template <class T>                                                                      \
    inline void __nv_atomic_##name(T* at, std::common_type_t<T> value, int = 0, int = 0,    \
                                   int line = __builtin_LINE()) {                           \
        __nv_atomic_fetch_##name(at, value, 0, 0, line);                                    \
    }
CUSET_HOST_NV_ATOMIC(add, a + b)
CUSET_HOST_NV_ATOMIC(sub, a - b)
CUSET_HOST_NV_ATOMIC(and, a& b)
CUSET_HOST_NV_ATOMIC(or, a | b)
CUSET_HOST_NV_ATOMIC(xor, a ^ b)
CUSET_HOST_NV_ATOMIC(min, b < a ? b : a)
CUSET_HOST_NV_ATOMIC(max, a < b ? b : a)
#undef CUSET_HOST_NV_ATOMIC

template <class T>
inline T __nv_atomic_exchange_n(T* at, std::common_type_t<T> value, int = 0, int = 0,
                                int line = __builtin_LINE()) {
    return cuset_host::atomic_exchange(at, value, line);
}
template <class T>
inline void __nv_atomic_exchange(T* at, T* value, T* before, int = 0, int = 0,
                                 int line = __builtin_LINE()) {
    *before = cuset_host::atomic_replace(at, *value, line, [](T, T b) { return b; });
}
template <class T>
inline std::remove_cv_t<T> __nv_atomic_load_n(T* at, int = 0, int = 0,
                                              int line = __builtin_LINE()) {
    cuset_host::note_atomic(at, sizeof(T), line);
    std::remove_cv_t<T> value;
    __atomic_load(at, &value, __ATOMIC_SEQ_CST);
    return value;
}
template <class T>
inline void __nv_atomic_load(T* at, std::remove_cv_t<T>* to, int = 0, int = 0,
                             int line = __builtin_LINE()) {
    *to = __nv_atomic_load_n(at, 0, 0, line);
}
template <class T>
inline void __nv_atomic_store_n(T* at, std::common_type_t<T> value, int = 0, int = 0,
                                int line = __builtin_LINE()) {
    cuset_host::atomic_replace(at, value, line, [](T, T b) { return b; });
}
template <class T>
inline void __nv_atomic_store(T* at, T* value, int = 0, int = 0, int line = __builtin_LINE()) {
    __nv_atomic_store_n(at, *value, 0, 0, line);
}
template <class T>
inline bool __nv_atomic_compare_exchange(T* at, T* expected, T* value, bool, int = 0, int = 0,
                                         int = 0, int line = __builtin_LINE()) {
    cuset_host::note_atomic(at, sizeof(T), line);
    return __atomic_compare_exchange(at, expected, value, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST);
}
template <class T>
inline bool __nv_atomic_compare_exchange_n(T* at, T* expected, std::common_type_t<T> value,
                                           bool weak, int = 0, int = 0, int = 0,
                                           int line = __builtin_LINE()) {
    return __nv_atomic_compare_exchange(at, expected, &value, weak, 0, 0, 0, line);
}
inline void __nv_atomic_thread_fence(int, int = 0) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
