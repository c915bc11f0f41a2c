#include "cuset_host/unchecked_calls.h"

#include <atomic>
#include <string>

#include "channel.h"
#include "lost_device.h"

namespace cuset_host {

void tell_failed_call(const unchecked_call& call, int number, const char* text) {
    static std::atomic<bool> was_told{false};
    if (lost_device_error() != cudaSuccess || was_told.exchange(true)) return;
    report(std::string("call ") + call.name + " in line " + std::to_string(call.line) +
           " returned " + (text != nullptr ? text : "status " + std::to_string(number)));
}

}  // namespace cuset_host
