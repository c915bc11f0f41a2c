// Where libcu++'s atomics come to what a host compiler has: the last place that knows their scope,
// which only the search for races asks for.
#pragma once

#ifdef CUSET_HOST_RACES
#include <cuda/std/__atomic/functions.h>
#include <cuset_host/threads/execution.h>

namespace cuset_host {
template <class Scope>
void note_library_scope(const volatile void* address) {
    const bool is_block = std::is_same_v<Scope, ::cuda::std::__thread_scope_block_tag>;
    library_atomic_of_block = is_block ? address : nullptr;
}
}  // namespace cuset_host

#define CUSET_HOST_SCOPED(name, p, ...) \
    (::cuset_host::note_library_scope<_Sco>(p), __atomic_##name##_host(p, __VA_ARGS__))
#define __atomic_load_host(p, o) CUSET_HOST_SCOPED(load, p, o)
#define __atomic_store_host(p, v, o) CUSET_HOST_SCOPED(store, p, v, o)
#define __atomic_exchange_host(p, v, o) CUSET_HOST_SCOPED(exchange, p, v, o)
#define __atomic_compare_exchange_strong_host(p, e, v, s, f) \
    CUSET_HOST_SCOPED(compare_exchange_strong, p, e, v, s, f)
#define __atomic_compare_exchange_weak_host(p, e, v, s, f) \
    CUSET_HOST_SCOPED(compare_exchange_weak, p, e, v, s, f)
#define __atomic_fetch_add_host(p, v, o) CUSET_HOST_SCOPED(fetch_add, p, v, o)
#define __atomic_fetch_sub_host(p, v, o) CUSET_HOST_SCOPED(fetch_sub, p, v, o)
#define __atomic_fetch_and_host(p, v, o) CUSET_HOST_SCOPED(fetch_and, p, v, o)
#define __atomic_fetch_or_host(p, v, o) CUSET_HOST_SCOPED(fetch_or, p, v, o)
#define __atomic_fetch_xor_host(p, v, o) CUSET_HOST_SCOPED(fetch_xor, p, v, o)
#define __atomic_fetch_max_host(p, v, o) CUSET_HOST_SCOPED(fetch_max, p, v, o)
#define __atomic_fetch_min_host(p, v, o) CUSET_HOST_SCOPED(fetch_min, p, v, o)
#endif

#include_next <cuda/std/__atomic/types/base.h>

#ifdef CUSET_HOST_RACES
#undef CUSET_HOST_SCOPED
#undef __atomic_load_host
#undef __atomic_store_host
#undef __atomic_exchange_host
#undef __atomic_compare_exchange_strong_host
#undef __atomic_compare_exchange_weak_host
#undef __atomic_fetch_add_host
#undef __atomic_fetch_sub_host
#undef __atomic_fetch_and_host
#undef __atomic_fetch_or_host
#undef __atomic_fetch_xor_host
#undef __atomic_fetch_max_host
#undef __atomic_fetch_min_host
#endif
