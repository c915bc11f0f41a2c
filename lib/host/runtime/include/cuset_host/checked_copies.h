// In a program that is checked, searched for races or counted, calls of memset, memcpy and memmove are accesses: the compiler's own
// instrumentation leaves them out. This must be read before any header that declares them.
#pragma once

#if defined(CUSET_HOST_CHECK) || defined(CUSET_HOST_RACES) || defined(CUSET_HOST_COUNT)

extern "C" {
void* memset(void* to, int value, __SIZE_TYPE__ bytes) noexcept __asm__("cuset_host_memset");
void* memcpy(void* __restrict to, const void* __restrict from, __SIZE_TYPE__ bytes) noexcept
    __asm__("cuset_host_memcpy");
void* memmove(void* to, const void* from, __SIZE_TYPE__ bytes) noexcept
    __asm__("cuset_host_memmove");
}

#endif
