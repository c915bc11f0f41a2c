#include "cuset_host/unchecked_calls.h"

#include <atomic>
#include <string>
#include <string_view>

#include "channel.h"
#include "launch_log.h"
#include "lost_device.h"

namespace cuset_host {

void tell_failed_call(const unchecked_call& call, int number, const char* text) {
    if (lost_device_error() != cudaSuccess) return;
    constexpr std::string_view launches = "cudaLaunch";
    if (std::string_view(call.name).substr(0, launches.size()) == launches) return log_dropped();
    static std::atomic<bool> was_told{false};
    if (was_told.exchange(true)) return;
    report(std::string("call ") + call.name + " in line " + std::to_string(call.line) +
           " returned " + (text != nullptr ? text : "status " + std::to_string(number)));
}

}  // namespace cuset_host
