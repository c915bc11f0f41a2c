#include "library_access.h"

#include <string>

#include "checks/checks.h"
#include "cuset_host/device_memory.h"
#include "cuset_host/faults.h"

namespace cuset_host {
namespace {

/// A device maps 2 MiB at a time, and does not notice what lies a little outside of an allocation.
constexpr std::size_t forgiven = std::size_t{2} << 20;

}  // namespace

void library_touches(const char* call, touch how, const void* p, std::size_t bytes) {
    if (bytes == 0) return;
    const auto refuse = [&](const char* where) {
        fail("illegal_address", std::string(call) + (how == touch::write ? ": writes" : ": reads") +
                                    " device memory " + where);
    };
    if (p == nullptr) refuse("through a null pointer");
    if (kind_of(p) == memory_kind::host) refuse("through a pointer to host memory");
    if constexpr (checks::are_on) {
        checks::library_touches(call, how, p, bytes);
    } else if (!is_within(p, bytes > forgiven ? bytes - forgiven : 1)) {
        refuse("outside of all allocations");
    }
}

}  // namespace cuset_host
