// What g++'s -fsanitize=thread calls before each access. Its own runtime is not linked.
#ifdef CUSET_HOST_COUNT

#include <cstring>

#include "accesses.h"

using cuset_host::costs::access_kind;
using cuset_host::costs::look;
using cuset_host::costs::look_at_range;
using cuset_host::costs::update_loop;

#define CUSET_HOST_ACCESS(name, bytes, kind)                                      \
    extern "C" void __tsan_##name##bytes(void* address) {                         \
        look(reinterpret_cast<std::uintptr_t>(address), bytes, access_kind::kind, \
             __builtin_return_address(0));                                        \
    }
#define CUSET_HOST_ACCESSES(bytes)       \
    CUSET_HOST_ACCESS(read, bytes, read) \
    CUSET_HOST_ACCESS(write, bytes, write)
CUSET_HOST_ACCESSES(1)
CUSET_HOST_ACCESSES(2)
CUSET_HOST_ACCESSES(4)
CUSET_HOST_ACCESSES(8)
CUSET_HOST_ACCESSES(16)

static void look_at_halves(void* at, access_kind kind, const void* instruction) {
    for (const std::uintptr_t half : {0, 8})
        look(reinterpret_cast<std::uintptr_t>(at) + half, 8, kind, instruction);
}

extern "C" {
// g++ calls __tsan_read16 where an object of 16 bytes is aligned to 8 too; the instrumenting
// assembler makes these calls of it.
void cuset_host_read_halves(void* at) {
    look_at_halves(at, access_kind::read, __builtin_return_address(0));
}
void cuset_host_write_halves(void* at) {
    look_at_halves(at, access_kind::write, __builtin_return_address(0));
}
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_read_range(void* at, std::size_t bytes) {
    look_at_range(at, bytes, access_kind::read, __builtin_return_address(0));
}
void __tsan_write_range(void* at, std::size_t bytes) {
    look_at_range(at, bytes, access_kind::write, __builtin_return_address(0));
}

// A program's calls of memset, memcpy and memmove come here: see checked_copies.h.
void* cuset_host_memset(void* to, int value, std::size_t bytes) {
    look_at_range(to, bytes, access_kind::write, __builtin_return_address(0));
    return std::memset(to, value, bytes);
}
void* cuset_host_memcpy(void* to, const void* from, std::size_t bytes) {
    look_at_range(from, bytes, access_kind::read, __builtin_return_address(0));
    look_at_range(to, bytes, access_kind::write, __builtin_return_address(0));
    return std::memcpy(to, from, bytes);
}
void* cuset_host_memmove(void* to, const void* from, std::size_t bytes) {
    look_at_range(from, bytes, access_kind::read, __builtin_return_address(0));
    look_at_range(to, bytes, access_kind::write, __builtin_return_address(0));
    return std::memmove(to, from, bytes);
}
}

// --- Atomic operations of C++, which libcu++ uses too --------------------------------------------

static void look_at_atomic(const volatile void* at, std::size_t bytes, const void* instruction,
                           update_loop loop = update_loop::none) {
    look(reinterpret_cast<std::uintptr_t>(at), bytes, access_kind::atomic, instruction, loop);
}

#define CUSET_HOST_FETCH(type, bits, name)                                             \
    extern "C" type __tsan_atomic##bits##_##name(volatile type* at, type value, int) { \
        look_at_atomic(at, sizeof(type), __builtin_return_address(0),                  \
                       bits == 32 ? update_loop::none : update_loop::swaps);           \
        return __atomic_##name(at, value, __ATOMIC_SEQ_CST);                           \
    }
#define CUSET_HOST_COMPARE(type, bits, kind, is_weak)                                      \
    extern "C" int __tsan_atomic##bits##_compare_exchange_##kind(                          \
        volatile type* at, type* expected, type value, int, int) {                         \
        look_at_atomic(at, sizeof(type), __builtin_return_address(0));                     \
        return __atomic_compare_exchange_n(at, expected, value, is_weak, __ATOMIC_SEQ_CST, \
                                           __ATOMIC_SEQ_CST);                              \
    }
#define CUSET_HOST_ATOMICS(type, bits)                                                           \
    extern "C" type __tsan_atomic##bits##_load(const volatile type* at, int) {                   \
        look(reinterpret_cast<std::uintptr_t>(at), sizeof(type), access_kind::read,              \
             __builtin_return_address(0));                                                       \
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                            \
    }                                                                                            \
    extern "C" void __tsan_atomic##bits##_store(volatile type* at, type value, int) {            \
        look(reinterpret_cast<std::uintptr_t>(at), sizeof(type), access_kind::write,             \
             __builtin_return_address(0));                                                       \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                           \
    }                                                                                            \
    extern "C" type __tsan_atomic##bits##_exchange(volatile type* at, type value, int) {         \
        look_at_atomic(at, sizeof(type), __builtin_return_address(0));                           \
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
                                                               type value, int, int) {           \
        look_at_atomic(at, sizeof(type), __builtin_return_address(0));                           \
        __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_SEQ_CST,               \
                                    __ATOMIC_SEQ_CST);                                           \
        return expected;                                                                         \
    }
CUSET_HOST_ATOMICS(unsigned char, 8)
CUSET_HOST_ATOMICS(unsigned short, 16)
CUSET_HOST_ATOMICS(unsigned, 32)
CUSET_HOST_ATOMICS(unsigned long, 64)

extern "C" void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
extern "C" void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

#endif
