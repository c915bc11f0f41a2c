// The operations of libcu++'s atomics as a host compiler has them. A thread may poll by them, and
// the checked build is told of each, for the compiler reports it as an access like others.
#pragma once

#include <cuset_host/threads/execution.h>

namespace cuset_host {
/// Other threads may run meanwhile, with atomics of another scope.
inline void look_for_polling_by_library(const volatile void* address) {
#ifdef CUSET_HOST_RACES
    const volatile void* const kept = library_atomic_of_block;
    look_for_polling(address);
    library_atomic_of_block = kept;
#else
    look_for_polling(address);
#endif
}
}  // namespace cuset_host

#define CUSET_HOST_NOTED(p, writes, order, operation)                              \
    (::cuset_host::look_for_polling_by_library(p),                                 \
     ::cuset_host::note_library_atomic((p), sizeof(*(p)), writes, order), operation)
#define __atomic_load(p, v, o) CUSET_HOST_NOTED(p, false, o, __atomic_load(p, v, o))
#define __atomic_store(p, v, o) CUSET_HOST_NOTED(p, true, o, __atomic_store(p, v, o))
#define __atomic_exchange(p, v, r, o) CUSET_HOST_NOTED(p, true, o, __atomic_exchange(p, v, r, o))
#define __atomic_compare_exchange(p, e, v, w, s, f) \
    CUSET_HOST_NOTED(p, true, s, __atomic_compare_exchange(p, e, v, w, s, f))
#define __atomic_fetch_add(p, v, o) CUSET_HOST_NOTED(p, true, o, __atomic_fetch_add(p, v, o))
#define __atomic_fetch_sub(p, v, o) CUSET_HOST_NOTED(p, true, o, __atomic_fetch_sub(p, v, o))
#define __atomic_fetch_and(p, v, o) CUSET_HOST_NOTED(p, true, o, __atomic_fetch_and(p, v, o))
#define __atomic_fetch_or(p, v, o) CUSET_HOST_NOTED(p, true, o, __atomic_fetch_or(p, v, o))
#define __atomic_fetch_xor(p, v, o) CUSET_HOST_NOTED(p, true, o, __atomic_fetch_xor(p, v, o))
#ifdef CUSET_HOST_CHECK
#define __atomic_thread_fence(o) (::cuset_host::note_fence(true), __atomic_thread_fence(o))
#endif

#include_next <cuda/std/__atomic/functions/host.h>

#undef CUSET_HOST_NOTED
#undef __atomic_thread_fence
#undef __atomic_load
#undef __atomic_store
#undef __atomic_exchange
#undef __atomic_compare_exchange
#undef __atomic_fetch_add
#undef __atomic_fetch_sub
#undef __atomic_fetch_and
#undef __atomic_fetch_or
#undef __atomic_fetch_xor
