// cuda::atomic_thread_fence() with its scope, which libcu++ drops where a host compiler reads it.
#pragma once

#include <cuda/std/atomic>
#include <cuset_host/threads/memory_access.h>

// What libcu++'s own form calls, by the name that it gets here.
_LIBCUDACXX_BEGIN_NAMESPACE_STD
inline void cuset_host_unscoped_fence(memory_order order) { atomic_thread_fence(order); }
_LIBCUDACXX_END_NAMESPACE_STD

#define atomic_thread_fence cuset_host_unscoped_fence
#include_next <cuda/__atomic/atomic.h>
#undef atomic_thread_fence

_LIBCUDACXX_BEGIN_NAMESPACE_CUDA
inline void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system) {
    if (scope == thread_scope_block && order != memory_order_relaxed)
        ::cuset_host::fence(true);
    else if (scope != thread_scope_thread)
        cuset_host_unscoped_fence(order, scope);
}
_LIBCUDACXX_END_NAMESPACE_CUDA
