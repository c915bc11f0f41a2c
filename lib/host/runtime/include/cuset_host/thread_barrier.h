// A barrier that threads of a block, or of several, count down: the state of cuda::barrier and of
// the stages of cuda::pipeline.
#pragma once

#include <cuset_host/execution.h>

#include <cstddef>

namespace cuset_host {

/// The search for races does not know what threads wait for in these ways: a checked program that
/// does so is unsupported.
#ifdef CUSET_HOST_CHECK
[[noreturn]] void unmodelled(const char* what);
inline void refuse_if_checked(const char* what) { unmodelled(what); }
#else
inline void refuse_if_checked(const char*) {}
#endif

/// Trivial, so that it may be in shared memory. Threads wait by steps, so that all others go on.
struct thread_barrier {
    std::ptrdiff_t expected, arrived;
    unsigned long long phase;

    void begin(std::ptrdiff_t count) {
        expected = count;
        arrived = 0;
        __atomic_store_n(&phase, 0, __ATOMIC_RELEASE);
    }
    /// Returns the phase that the arrival belongs to.
    unsigned long long arrive(std::ptrdiff_t count = 1) {
        refuse_if_checked("cuda::barrier and cuda::pipeline with --check");
        const unsigned long long now = __atomic_load_n(&phase, __ATOMIC_ACQUIRE);
        const std::ptrdiff_t wanted = __atomic_load_n(&expected, __ATOMIC_ACQUIRE);
        if (__atomic_add_fetch(&arrived, count, __ATOMIC_ACQ_REL) >= wanted) {
            __atomic_fetch_sub(&arrived, wanted, __ATOMIC_ACQ_REL);
            __atomic_fetch_add(&phase, 1, __ATOMIC_ACQ_REL);
        }
        return now;
    }
    void drop() { __atomic_fetch_sub(&expected, 1, __ATOMIC_ACQ_REL); }
    bool has_passed(unsigned long long of) const {
        return __atomic_load_n(&phase, __ATOMIC_ACQUIRE) != of;
    }
    void wait(unsigned long long of) const {
        while (!has_passed(of)) step(0);
    }
};

}  // namespace cuset_host
