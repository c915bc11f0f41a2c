// What the C library has for a thread that waits, and libcu++ calls on a host: a kernel's thread
// lets others of its grid go on.
#include <sched.h>
#include <sys/syscall.h>

#include <cerrno>
#include <ctime>

#include "core/system_calls.h"
#include "cuset_host/threads/execution.h"

extern "C" {

// A program may have its own.
__attribute__((weak)) int sched_yield() noexcept {
    if (cuset_host::is_in_kernel()) {
        cuset_host::step(0);
        return 0;
    }
    return static_cast<int>(cuset_host::system_call(SYS_sched_yield));
}

__attribute__((weak)) int nanosleep(const timespec* time, timespec* left) {
    if (cuset_host::is_in_kernel()) {
        cuset_host::step(0);
        return 0;
    }
    const int error = clock_nanosleep(CLOCK_MONOTONIC, 0, time, left);
    if (error == 0) return 0;
    errno = error;
    return -1;
}

}  // extern "C"
