// hipcc's __hip_atomic functions, on any type of 1, 2, 4 or 8 bytes. Scopes up to a block's are the
// block's, and others the device's.
#pragma once

#include "cuset_host/threads/atomics.h"
#include "cuset_host/threads/scoped_order.h"

#include <type_traits>

#define __HIP_MEMORY_SCOPE_SINGLETHREAD 1
#define __HIP_MEMORY_SCOPE_WAVEFRONT 2
#define __HIP_MEMORY_SCOPE_WORKGROUP 3
#define __HIP_MEMORY_SCOPE_AGENT 4
#define __HIP_MEMORY_SCOPE_SYSTEM 5

namespace cuset_host {

class hip_order : public scoped_order {
public:
    hip_order(int order, int scope) : scoped_order(order, scope <= __HIP_MEMORY_SCOPE_WORKGROUP) {}
};

template <class T>
using hip_value = std::common_type_t<std::remove_cv_t<T>>;

}  // namespace cuset_host

#define CUSET_HOST_HIP_ATOMIC(name, expression)                                                   \
    template <class T>                                                                            \
    inline std::remove_cv_t<T> __hip_atomic_##name(T* at, cuset_host::hip_value<T> value,         \
                                                   int order, int scope,                          \
                                                   int line = __builtin_LINE()) {                 \
        using plain = std::remove_cv_t<T>;                                                        \
        const cuset_host::hip_order fences(order, scope);                                         \
        return cuset_host::atomic_replace(                                                        \
            const_cast<plain*>(at), value, fences.line_with_scope(line),                          \
            []([[maybe_unused]] plain a, plain b) { return static_cast<plain>(expression); });    \
    }
CUSET_HOST_HIP_ATOMIC(fetch_add, a + b)
CUSET_HOST_HIP_ATOMIC(fetch_sub, a - b)
CUSET_HOST_HIP_ATOMIC(fetch_and, a& b)
CUSET_HOST_HIP_ATOMIC(fetch_or, a | b)
CUSET_HOST_HIP_ATOMIC(fetch_xor, a ^ b)
CUSET_HOST_HIP_ATOMIC(fetch_min, b < a ? b : a)
CUSET_HOST_HIP_ATOMIC(fetch_max, a < b ? b : a)
#undef CUSET_HOST_HIP_ATOMIC

template <class T>
inline std::remove_cv_t<T> __hip_atomic_exchange(T* at, cuset_host::hip_value<T> value, int order,
                                                 int scope, int line = __builtin_LINE()) {
    const cuset_host::hip_order fences(order, scope);
    const int where = fences.line_with_scope(line);
    cuset_host::note_atomic(at, sizeof(T), where);
    return cuset_host::atomic_replace_unnoted(
        const_cast<std::remove_cv_t<T>*>(at), value,
        [](std::remove_cv_t<T>, std::remove_cv_t<T> b) { return b; });
}
template <class T>
inline void __hip_atomic_store(T* at, cuset_host::hip_value<T> value, int order, int scope,
                               int line = __builtin_LINE()) {
    static_cast<void>(__hip_atomic_exchange(at, value, order, scope, line));
}
template <class T>
inline std::remove_cv_t<T> __hip_atomic_load(T* at, int order, int scope,
                                             int line = __builtin_LINE()) {
    const cuset_host::hip_order fences(order, scope);
    return cuset_host::atomic_load<std::remove_cv_t<T>>(const_cast<const std::remove_cv_t<T>*>(at),
                                                        fences.line_with_scope(line));
}
template <class T>
inline bool __hip_atomic_compare_exchange_strong(T* at, std::remove_cv_t<T>* expected,
                                                 cuset_host::hip_value<T> value, int order,
                                                 int /*of_failure*/, int scope,
                                                 int line = __builtin_LINE()) {
    const cuset_host::hip_order fences(order, scope);
    std::remove_cv_t<T> found = *expected;
    const bool is_done = cuset_host::atomic_compare_exchange<std::remove_cv_t<T>>(
        const_cast<std::remove_cv_t<T>*>(at), found, value, fences.line_with_scope(line));
    if (!is_done) *expected = found;
    return is_done;
}
template <class T>
inline bool __hip_atomic_compare_exchange_weak(T* at, std::remove_cv_t<T>* expected,
                                               cuset_host::hip_value<T> value, int order,
                                               int of_failure, int scope,
                                               int line = __builtin_LINE()) {
    return __hip_atomic_compare_exchange_strong(at, expected, value, order, of_failure, scope,
                                                line);
}
