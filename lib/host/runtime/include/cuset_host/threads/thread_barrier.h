// A barrier that threads of a block, or of several, count down: the state of cuda::barrier and of
// the stages of cuda::pipeline.
#pragma once

#include <cuset_host/threads/execution.h>

#include <cstddef>

namespace cuset_host {

/// Arrives at one of the block's sixteen barriers of PTX, and waits there for so many threads or
/// does not.
void named_barrier(unsigned number, unsigned threads, bool waits);

/// The search for races takes it that all threads of the block have met where some have waited for
/// each other: at the object `at`, which was complete just now, or which the running thread
/// `has_waited` for. So it may miss a race, but finds none that is not there.
#if defined(CUSET_HOST_CHECK) || defined(CUSET_HOST_RACES)
void threads_met(const void* at, bool has_waited);
#else
inline void threads_met(const void*, bool) {}
#endif
/// The running thread, or a copy of its, arrives at the object `at`. In a cluster it may lie in
/// another block's shared memory.
#ifdef CUSET_HOST_RACES
void arrives_at(const void* at);
#else
inline void arrives_at(const void*) {}
#endif

/// Trivial, so that it may be in shared memory. Threads wait by steps, so that all others go on.
struct thread_barrier {
    std::ptrdiff_t expected, arrived;
    unsigned long long phase;

    CUSET_HOST_UNSEEN void begin(std::ptrdiff_t count) {
        expected = count;
        arrived = 0;
        __atomic_store_n(&phase, 0, __ATOMIC_RELEASE);
    }
    /// Returns the phase that the arrival belongs to.
    CUSET_HOST_UNSEEN unsigned long long arrive(std::ptrdiff_t count = 1) {
        arrives_at(this);
        const unsigned long long now = __atomic_load_n(&phase, __ATOMIC_ACQUIRE);
        const std::ptrdiff_t wanted = __atomic_load_n(&expected, __ATOMIC_ACQUIRE);
        if (__atomic_add_fetch(&arrived, count, __ATOMIC_ACQ_REL) >= wanted) {
            __atomic_fetch_sub(&arrived, wanted, __ATOMIC_ACQ_REL);
            __atomic_fetch_add(&phase, 1, __ATOMIC_ACQ_REL);
            threads_met(this, false);
        }
        return now;
    }
    CUSET_HOST_UNSEEN void drop() { __atomic_fetch_sub(&expected, 1, __ATOMIC_ACQ_REL); }
    CUSET_HOST_UNSEEN bool has_passed(unsigned long long awaited) const {
        if (__atomic_load_n(&phase, __ATOMIC_ACQUIRE) == awaited) return false;
        threads_met(this, true);
        return true;
    }
    void wait(unsigned long long awaited) const {
        while (!has_passed(awaited)) step(0);
    }
};

}  // namespace cuset_host
