// CUDA's atomic functions. Blocks run on several OS threads, so these functions are atomic for OS
// threads too; they are relaxed, as CUDA's are. The overloads are CUDA's and no others: an
// atomicMax of floats does not compile here either.
//
// Each tells note_atomic (execution.h) the memory that it will touch and the line, and hides the
// access from the sanitizer: atomics do not race with each other.
#pragma once

#include <cuset_host/threads/execution.h>

namespace cuset_host {

/// Whether the address is in the running block's own shared memory. The block runs on one OS
/// thread, which needs no lock there: a locked instruction takes several times as long.
CUSET_HOST_UNSEEN inline bool is_of_own_block(const volatile void* at) {
    const auto place = reinterpret_cast<std::uintptr_t>(at);
    return place - reinterpret_cast<std::uintptr_t>(shared_base) < shared_size;
}

#define CUSET_HOST_FETCH(name, builtin, operation)                             \
    template <class T>                                                         \
    CUSET_HOST_UNSEEN inline T name(T* at, T value, int line) {                \
        note_update(at, line);                                                 \
        if (!is_of_own_block(at)) return builtin(at, value, __ATOMIC_RELAXED); \
        const T before = __atomic_load_n(at, __ATOMIC_RELAXED);                \
        __atomic_store_n(at, before operation value, __ATOMIC_RELAXED);        \
        return before;                                                         \
    }
CUSET_HOST_FETCH(atomic_add, __atomic_fetch_add, +)
CUSET_HOST_FETCH(atomic_subtract, __atomic_fetch_sub, -)
CUSET_HOST_FETCH(atomic_and, __atomic_fetch_and, &)
CUSET_HOST_FETCH(atomic_or, __atomic_fetch_or, |)
CUSET_HOST_FETCH(atomic_xor, __atomic_fetch_xor, ^)
#undef CUSET_HOST_FETCH

template <class T>
CUSET_HOST_UNSEEN inline T atomic_exchange(T* at, T value, int line) {
    note_atomic(at, sizeof(T), line);
    T before;
    if (is_of_own_block(at)) {
        __atomic_load(at, &before, __ATOMIC_RELAXED);
        __atomic_store(at, &value, __ATOMIC_RELAXED);
    } else {
        __atomic_exchange(at, &value, &before, __ATOMIC_RELAXED);
    }
    return before;
}
template <class T>
CUSET_HOST_UNSEEN inline T atomic_load(const T* at, int line) {
    note_atomic(at, sizeof(T), line | only_loads);
    T value;
    __atomic_load(at, &value, __ATOMIC_RELAXED);
    return value;
}
/// Of any type: whether *at had the bits of `expected` and has those of `value` now; else
/// `expected` has its own.
template <class T>
CUSET_HOST_UNSEEN inline bool atomic_compare_exchange(T* at, T& expected, T value, int line) {
    note_atomic(at, sizeof(T), line);
    return __atomic_compare_exchange(at, &expected, &value, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED);
}
template <class T>
CUSET_HOST_UNSEEN inline T atomic_compare_and_swap(T* at, T expected, T value, int line) {
    note_atomic(at, sizeof(T), line);
    if (is_of_own_block(at)) {
        const T before = __atomic_load_n(at, __ATOMIC_RELAXED);
        if (before == expected) __atomic_store_n(at, value, __ATOMIC_RELAXED);
        return before;
    }
    __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}

/// Of 16 bytes, which not every processor swaps by one instruction: one at a time in the process.
inline volatile bool wide_atomic_is_taken = false;
template <class T>
CUSET_HOST_UNSEEN inline T wide_atomic(T* at, const T* expected, const T& value, int line) {
    note_atomic(at, sizeof(T), line);
    while (__atomic_test_and_set(&wide_atomic_is_taken, __ATOMIC_ACQUIRE)) {
    }
    const T before = *at;
    if (expected == nullptr || __builtin_memcmp(&before, expected, sizeof(T)) == 0) *at = value;
    __atomic_clear(&wide_atomic_is_taken, __ATOMIC_RELEASE);
    return before;
}
/// The types that atomicCAS and atomicExch take beside integers.
template <class T>
using if_wide =
    std::enable_if_t<sizeof(T) == 16 && alignof(T) == 16 && std::is_trivially_copyable_v<T>, T>;

/// *at becomes next(*at, value), for any `next`; returns the value before. Bits are compared, so
/// that NaN and the two zeros are ordinary values.
template <class T, class Next>
CUSET_HOST_UNSEEN inline T atomic_replace_unnoted(T* at, T value, Next next) {
    T before;
    __atomic_load(at, &before, __ATOMIC_RELAXED);
    if (is_of_own_block(at)) {
        T after = next(before, value);
        __atomic_store(at, &after, __ATOMIC_RELAXED);
        return before;
    }
    for (;;) {
        T after = next(before, value);
        if (__atomic_compare_exchange(at, &before, &after, false, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED))
            return before;
    }
}
template <class T, class Next>
CUSET_HOST_UNSEEN inline T atomic_replace(T* at, T value, int line, Next next) {
    note_update(at, line);
    return atomic_replace_unnoted(at, value, next);
}

struct sum_of {
    template <class T>
    T operator()(T a, T b) const {
        return a + b;
    }
};
struct less_of {
    template <class T>
    T operator()(T a, T b) const {
        return b < a ? b : a;
    }
};
struct greater_of {
    template <class T>
    T operator()(T a, T b) const {
        return b > a ? b : a;
    }
};
struct up_to {
    unsigned operator()(unsigned before, unsigned end) const {
        return before >= end ? 0 : before + 1;
    }
};
struct down_from {
    unsigned operator()(unsigned before, unsigned top) const {
        return before == 0 || before > top ? top : before - 1;
    }
};

/// Goes component by component: CUDA promises only that each component is atomic.
CUSET_HOST_UNSEEN inline float2 atomic_add_vector(float2* at, float2 value, int line) {
    note_atomic(at, sizeof(float2), line);
    float2 before;
    before.x = atomic_replace_unnoted(&at->x, value.x, sum_of());
    before.y = atomic_replace_unnoted(&at->y, value.y, sum_of());
    return before;
}
CUSET_HOST_UNSEEN inline float4 atomic_add_vector(float4* at, float4 value, int line) {
    note_atomic(at, sizeof(float4), line);
    float4 before;
    before.x = atomic_replace_unnoted(&at->x, value.x, sum_of());
    before.y = atomic_replace_unnoted(&at->y, value.y, sum_of());
    before.z = atomic_replace_unnoted(&at->z, value.z, sum_of());
    before.w = atomic_replace_unnoted(&at->w, value.w, sum_of());
    return before;
}

}  // namespace cuset_host

#define CUSET_HOST_ATOMIC_OF_SCOPE(name, type, scope, result)                     \
    inline type name(type* address, type value, int caller = __builtin_LINE()) { \
        const int line = caller | cuset_host::scope;                             \
        return cuset_host::result;                                               \
    }
#define CUSET_HOST_ATOMIC(name, type, result)                            \
    CUSET_HOST_ATOMIC_OF_SCOPE(name, type, device_scope, result)         \
    CUSET_HOST_ATOMIC_OF_SCOPE(name##_block, type, block_scope, result)  \
    CUSET_HOST_ATOMIC_OF_SCOPE(name##_system, type, device_scope, result)

CUSET_HOST_ATOMIC(atomicAdd, int, atomic_add(address, value, line))
CUSET_HOST_ATOMIC(atomicAdd, unsigned, atomic_add(address, value, line))
CUSET_HOST_ATOMIC(atomicAdd, unsigned long long, atomic_add(address, value, line))
CUSET_HOST_ATOMIC(atomicAdd, float, atomic_replace(address, value, line, cuset_host::sum_of()))
CUSET_HOST_ATOMIC(atomicAdd, double, atomic_replace(address, value, line, cuset_host::sum_of()))
CUSET_HOST_ATOMIC(atomicAdd, float2, atomic_add_vector(address, value, line))
CUSET_HOST_ATOMIC(atomicAdd, float4, atomic_add_vector(address, value, line))

CUSET_HOST_ATOMIC(atomicSub, int, atomic_subtract(address, value, line))
CUSET_HOST_ATOMIC(atomicSub, unsigned, atomic_subtract(address, value, line))

CUSET_HOST_ATOMIC(atomicExch, int, atomic_exchange(address, value, line))
CUSET_HOST_ATOMIC(atomicExch, unsigned, atomic_exchange(address, value, line))
CUSET_HOST_ATOMIC(atomicExch, unsigned long long, atomic_exchange(address, value, line))
CUSET_HOST_ATOMIC(atomicExch, float, atomic_exchange(address, value, line))

CUSET_HOST_ATOMIC(atomicMin, int, atomic_replace(address, value, line, cuset_host::less_of()))
CUSET_HOST_ATOMIC(atomicMin, unsigned, atomic_replace(address, value, line, cuset_host::less_of()))
CUSET_HOST_ATOMIC(atomicMin, long long, atomic_replace(address, value, line, cuset_host::less_of()))
CUSET_HOST_ATOMIC(atomicMin, unsigned long long,
                  atomic_replace(address, value, line, cuset_host::less_of()))
CUSET_HOST_ATOMIC(atomicMax, int, atomic_replace(address, value, line, cuset_host::greater_of()))
CUSET_HOST_ATOMIC(atomicMax, unsigned,
                  atomic_replace(address, value, line, cuset_host::greater_of()))
CUSET_HOST_ATOMIC(atomicMax, long long,
                  atomic_replace(address, value, line, cuset_host::greater_of()))
CUSET_HOST_ATOMIC(atomicMax, unsigned long long,
                  atomic_replace(address, value, line, cuset_host::greater_of()))

CUSET_HOST_ATOMIC(atomicInc, unsigned, atomic_replace(address, value, line, cuset_host::up_to()))
CUSET_HOST_ATOMIC(atomicDec, unsigned,
                  atomic_replace(address, value, line, cuset_host::down_from()))

#define CUSET_HOST_ATOMIC_BITS(type)                                     \
    CUSET_HOST_ATOMIC(atomicAnd, type, atomic_and(address, value, line)) \
    CUSET_HOST_ATOMIC(atomicOr, type, atomic_or(address, value, line))   \
    CUSET_HOST_ATOMIC(atomicXor, type, atomic_xor(address, value, line))
CUSET_HOST_ATOMIC_BITS(int)
CUSET_HOST_ATOMIC_BITS(unsigned)
CUSET_HOST_ATOMIC_BITS(long long)
CUSET_HOST_ATOMIC_BITS(unsigned long long)

#define CUSET_HOST_ATOMIC_CAS_OF_SCOPE(name, type, scope)                                    \
    inline type name(type* address, type compare, type value, int line = __builtin_LINE()) { \
        return cuset_host::atomic_compare_and_swap(address, compare, value,                  \
                                                   line | cuset_host::scope);                \
    }
#define CUSET_HOST_ATOMIC_CAS(type)                                    \
    CUSET_HOST_ATOMIC_CAS_OF_SCOPE(atomicCAS, type, device_scope)      \
    CUSET_HOST_ATOMIC_CAS_OF_SCOPE(atomicCAS_block, type, block_scope) \
    CUSET_HOST_ATOMIC_CAS_OF_SCOPE(atomicCAS_system, type, device_scope)
CUSET_HOST_ATOMIC_CAS(int)
CUSET_HOST_ATOMIC_CAS(unsigned)
CUSET_HOST_ATOMIC_CAS(unsigned long long)
CUSET_HOST_ATOMIC_CAS(unsigned short)
#define CUSET_HOST_WIDE_ATOMIC(scope)                                                         \
    template <class T>                                                                        \
    inline cuset_host::if_wide<T> atomicCAS##scope(T* address, T compare, T value,            \
                                                   int line = __builtin_LINE()) {             \
        return cuset_host::wide_atomic(address, &compare, value, line);                       \
    }                                                                                         \
    template <class T>                                                                        \
    inline cuset_host::if_wide<T> atomicExch##scope(T* address, T value,                      \
                                                    int line = __builtin_LINE()) {            \
        return cuset_host::wide_atomic(address, static_cast<const T*>(nullptr), value, line); \
    }
CUSET_HOST_WIDE_ATOMIC()
CUSET_HOST_WIDE_ATOMIC(_block)
CUSET_HOST_WIDE_ATOMIC(_system)
#undef CUSET_HOST_WIDE_ATOMIC
