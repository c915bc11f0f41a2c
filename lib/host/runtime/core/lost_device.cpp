#include "lost_device.h"

#include <sys/syscall.h>

#include <atomic>
#include <string>

#include "channel.h"
#include "checks/checks.h"
#include "cuset_host/faults.h"
#include "launch/block_runner.h"
#include "memory/kernel_stores.h"
#include "settings.h"
#include "streams/asynchronous_streams.h"
#include "system_calls.h"

namespace cuset_host {

namespace {

std::atomic<cudaError_t> lost_to{cudaSuccess};
std::atomic<bool> was_met{false};
std::atomic<unsigned> resets{0};

}  // namespace

[[noreturn]] static void stay() {
    for (;;) system_call(SYS_pause);
}

void lose_device(cudaError_t error, const char* kind, const char* what) {
    // What is known of each byte is no longer right after that, so checked programs end.
    if (!program_has_asynchronous_streams() || !is_in_kernel() || checks::are_on) return;
    cudaError_t none = cudaSuccess;
    const bool is_of_now = block_runner::current()->running().resets_before == resets;
    if (is_of_now && lost_to.compare_exchange_strong(none, error)) {
        report(std::string("lost ") + kind + ": " + running_thread() + ": " + what);
        { const kernel_run counted; }  // it does not come to its own end, where it would count
        wake_who_waits_for_streams();
    }
    // Its frames stay as they are: it may be anywhere in the kernel, and the device is of no use.
    stay();
}

void stop_if_device_is_lost(unsigned resets_before) {
    if (device_is_lost() || resets_before != resets) stay();
}

bool device_is_lost() { return lost_to != cudaSuccess; }

cudaError_t lost_device_error() {
    const cudaError_t error = lost_to;
    if (error != cudaSuccess) was_met = true;
    return error;
}

cudaError_t error_that_was_met() { return was_met ? lost_to.load() : cudaSuccess; }

void reset_device() {
    ++resets;
    was_met = false;
    lost_to = cudaSuccess;
}

unsigned device_resets() { return resets; }

}  // namespace cuset_host
