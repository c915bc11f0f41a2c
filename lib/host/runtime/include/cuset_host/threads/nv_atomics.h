// nvcc's __nv_atomic functions, on any type of 1, 2, 4 or 8 bytes. Scopes up to a block's are the
// block's, and others the device's.
#pragma once

#include <cuset_host/threads/atomics.h>
#include <cuset_host/threads/scoped_order.h>

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

namespace cuset_host {

class nv_order : public scoped_order {
public:
    nv_order(int order, int scope) : scoped_order(order, scope <= __NV_THREAD_SCOPE_BLOCK) {}
};

}  // namespace cuset_host

#define CUSET_HOST_NV_ATOMIC(name, expression)                                                    \
    template <class T>                                                                            \
    inline T __nv_atomic_fetch_##name(T* at, std::common_type_t<T> value, int order,              \
                                      int scope = __NV_THREAD_SCOPE_SYSTEM,                       \
                                      int line = __builtin_LINE()) {                              \
        const cuset_host::nv_order fences(order, scope);                                          \
        return cuset_host::atomic_replace(                                                        \
            at, value, fences.line_with_scope(line),                                              \
            [](T a, T b) -> T { return static_cast<T>(expression); });                            \
    }                                                                                             \
    template <class T>                                                                            \
    inline void __nv_atomic_##name(T* at, std::common_type_t<T> value, int order,                 \
                                   int scope = __NV_THREAD_SCOPE_SYSTEM,                          \
                                   int line = __builtin_LINE()) {                                 \
        __nv_atomic_fetch_##name(at, value, order, scope, line);                                  \
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
inline T __nv_atomic_exchange_n(T* at, std::common_type_t<T> value, int order,
                                int scope = __NV_THREAD_SCOPE_SYSTEM, int line = __builtin_LINE()) {
    const cuset_host::nv_order fences(order, scope);
    return cuset_host::atomic_exchange(at, value, fences.line_with_scope(line));
}
template <class T>
inline void __nv_atomic_exchange(T* at, T* value, T* before, int order,
                                 int scope = __NV_THREAD_SCOPE_SYSTEM,
                                 int line = __builtin_LINE()) {
    const cuset_host::nv_order fences(order, scope);
    *before = cuset_host::atomic_replace(at, *value, fences.line_with_scope(line),
                                         [](T, T b) { return b; });
}
template <class T>
inline std::remove_cv_t<T> __nv_atomic_load_n(T* at, int order,
                                              int scope = __NV_THREAD_SCOPE_SYSTEM,
                                              int line = __builtin_LINE()) {
    const cuset_host::nv_order fences(order, scope);
    return cuset_host::atomic_load<std::remove_cv_t<T>>(const_cast<const std::remove_cv_t<T>*>(at),
                                                        fences.line_with_scope(line));
}
template <class T>
inline void __nv_atomic_load(T* at, std::remove_cv_t<T>* to, int order,
                             int scope = __NV_THREAD_SCOPE_SYSTEM, int line = __builtin_LINE()) {
    *to = __nv_atomic_load_n(at, order, scope, line);
}
template <class T>
inline void __nv_atomic_store_n(T* at, std::common_type_t<T> value, int order,
                                int scope = __NV_THREAD_SCOPE_SYSTEM, int line = __builtin_LINE()) {
    const cuset_host::nv_order fences(order, scope);
    cuset_host::atomic_replace(at, value, fences.line_with_scope(line), [](T, T b) { return b; });
}
template <class T>
inline void __nv_atomic_store(T* at, T* value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM,
                              int line = __builtin_LINE()) {
    __nv_atomic_store_n(at, *value, order, scope, line);
}
template <class T>
inline bool __nv_atomic_compare_exchange(T* at, T* expected, T* value, bool, int order,
                                         int /*of_failure*/, int scope = __NV_THREAD_SCOPE_SYSTEM,
                                         int line = __builtin_LINE()) {
    const cuset_host::nv_order fences(order, scope);
    T found = *expected;
    const bool is_done =
        cuset_host::atomic_compare_exchange(at, found, *value, fences.line_with_scope(line));
    if (!is_done) *expected = found;
    return is_done;
}
template <class T>
inline bool __nv_atomic_compare_exchange_n(T* at, T* expected, std::common_type_t<T> value,
                                           bool weak, int order, int of_failure,
                                           int scope = __NV_THREAD_SCOPE_SYSTEM,
                                           int line = __builtin_LINE()) {
    return __nv_atomic_compare_exchange(at, expected, &value, weak, order, of_failure, scope, line);
}
/// A fence that is relaxed is none.
inline void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    if (order != __NV_ATOMIC_RELAXED) cuset_host::fence(scope <= __NV_THREAD_SCOPE_BLOCK);
}
