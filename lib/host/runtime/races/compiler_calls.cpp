// What g++'s -fsanitize=thread calls before each access. Its own runtime is not linked.
#ifdef CUSET_HOST_RACES

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "accesses.h"
#include "cuset_host/threads/execution.h"

using cuset_host::races::is_passed_over;
using cuset_host::races::look;

#define CUSET_HOST_ACCESS(name, bytes, writes, is_strong)          \
    extern "C" void __tsan_##name##bytes(void* address) {          \
        const auto at = reinterpret_cast<std::uintptr_t>(address); \
        const void* const pc = __builtin_return_address(0);        \
        if ((is_strong) || !is_passed_over(at, writes, pc))        \
            look({at, bytes, writes, is_strong, pc});              \
    }
#define CUSET_HOST_ACCESSES(bytes)                                 \
    CUSET_HOST_ACCESS(read, bytes, false, false)                   \
    CUSET_HOST_ACCESS(write, bytes, true, false)                   \
    CUSET_HOST_ACCESS(volatile_read, bytes, false, true)           \
    CUSET_HOST_ACCESS(volatile_write, bytes, true, true)           \
    CUSET_HOST_ACCESS(unaligned_read, bytes, false, false)         \
    CUSET_HOST_ACCESS(unaligned_write, bytes, true, false)         \
    CUSET_HOST_ACCESS(unaligned_volatile_read, bytes, false, true) \
    CUSET_HOST_ACCESS(unaligned_volatile_write, bytes, true, true)
CUSET_HOST_ACCESSES(1)
CUSET_HOST_ACCESSES(2)
CUSET_HOST_ACCESSES(4)
CUSET_HOST_ACCESSES(8)
CUSET_HOST_ACCESSES(16)

static void look_at_bytes(const void* at, std::size_t bytes, bool writes, const void* pc) {
    if (bytes != 0) look({reinterpret_cast<std::uintptr_t>(at), bytes, writes, false, pc});
}

extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_read_range(void* at, std::size_t bytes) {
    look_at_bytes(at, bytes, false, __builtin_return_address(0));
}
void __tsan_write_range(void* at, std::size_t bytes) {
    look_at_bytes(at, bytes, true, __builtin_return_address(0));
}

// A program's calls of memset, memcpy and memmove come here: see checked_copies.h.
void* cuset_host_memset(void* to, int value, std::size_t bytes) {
    look_at_bytes(to, bytes, true, __builtin_return_address(0));
    return std::memset(to, value, bytes);
}
void* cuset_host_memcpy(void* to, const void* from, std::size_t bytes) {
    look_at_bytes(from, bytes, false, __builtin_return_address(0));
    look_at_bytes(to, bytes, true, __builtin_return_address(0));
    return std::memcpy(to, from, bytes);
}
void* cuset_host_memmove(void* to, const void* from, std::size_t bytes) {
    look_at_bytes(from, bytes, false, __builtin_return_address(0));
    look_at_bytes(to, bytes, true, __builtin_return_address(0));
    return std::memmove(to, from, bytes);
}
}

// --- Atomic operations of C++, which libcu++ uses too --------------------------------------------

__constinit thread_local const volatile void* cuset_host::library_atomic_of_block = nullptr;

static void look_at_atomic(const volatile void* at, std::size_t bytes, bool writes, int order,
                           const void* pc) {
    const bool of_block = cuset_host::library_atomic_of_block == at;
    // What is released is behind a fence.
    if (writes && order != __ATOMIC_RELAXED && order != __ATOMIC_ACQUIRE &&
        order != __ATOMIC_CONSUME)
        cuset_host::note_fence(of_block);
    look({reinterpret_cast<std::uintptr_t>(at), bytes, writes, true, pc, 0, of_block});
}

#define CUSET_HOST_FETCH(type, bits, name)                                                   \
    extern "C" type __tsan_atomic##bits##_##name(volatile type* at, type value, int order) { \
        look_at_atomic(at, sizeof(type), true, order, __builtin_return_address(0));          \
        return __atomic_##name(at, value, __ATOMIC_SEQ_CST);                                 \
    }
#define CUSET_HOST_COMPARE(type, bits, kind, is_weak)                                      \
    extern "C" int __tsan_atomic##bits##_compare_exchange_##kind(                          \
        volatile type* at, type* expected, type value, int order, int) {                   \
        look_at_atomic(at, sizeof(type), true, order, __builtin_return_address(0));        \
        return __atomic_compare_exchange_n(at, expected, value, is_weak, __ATOMIC_SEQ_CST, \
                                           __ATOMIC_SEQ_CST);                              \
    }
#define CUSET_HOST_ATOMICS(type, bits)                                                           \
    extern "C" type __tsan_atomic##bits##_load(const volatile type* at, int order) {             \
        look_at_atomic(at, sizeof(type), false, order, __builtin_return_address(0));             \
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                            \
    }                                                                                            \
    extern "C" void __tsan_atomic##bits##_store(volatile type* at, type value, int order) {      \
        look_at_atomic(at, sizeof(type), true, order, __builtin_return_address(0));              \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                           \
    }                                                                                            \
    extern "C" type __tsan_atomic##bits##_exchange(volatile type* at, type value, int order) {   \
        look_at_atomic(at, sizeof(type), true, order, __builtin_return_address(0));              \
        return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);                                 \
    }                                                                                            \
    CUSET_HOST_FETCH(type, bits, fetch_add)                                                      \
    CUSET_HOST_FETCH(type, bits, fetch_sub)                                                      \
    CUSET_HOST_FETCH(type, bits, fetch_and)                                                      \
    CUSET_HOST_FETCH(type, bits, fetch_or)                                                       \
    CUSET_HOST_FETCH(type, bits, fetch_xor)                                                      \
    CUSET_HOST_FETCH(type, bits, fetch_nand)                                                     \
    CUSET_HOST_COMPARE(type, bits, strong, false)                                                \
    CUSET_HOST_COMPARE(type, bits, weak, true)                                                   \
    extern "C" type __tsan_atomic##bits##_compare_exchange_val(volatile type* at, type expected, \
                                                               type value, int order, int) {     \
        look_at_atomic(at, sizeof(type), true, order, __builtin_return_address(0));              \
        __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_SEQ_CST,               \
                                    __ATOMIC_SEQ_CST);                                           \
        return expected;                                                                         \
    }
CUSET_HOST_ATOMICS(unsigned char, 8)
CUSET_HOST_ATOMICS(unsigned short, 16)
CUSET_HOST_ATOMICS(unsigned, 32)
CUSET_HOST_ATOMICS(unsigned long, 64)

extern "C" void __tsan_atomic_thread_fence(int order) {
    if (order != __ATOMIC_RELAXED) cuset_host::note_fence(false);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
extern "C" void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

#endif
