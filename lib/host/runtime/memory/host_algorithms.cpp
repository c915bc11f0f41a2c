#include "cuset_host/host_algorithms.h"

#include <string>

#include "cuset_host/device_memory.h"
#include "cuset_host/faults.h"
#include "cuset_host/threads/execution.h"

namespace cuset_host {

void look_at_hosts_pointer(const void* p, const char* algorithm, int line) {
    if (is_in_kernel() || kind_of(p) != memory_kind::device) return;
    const std::string name = algorithm;
    fail("illegal_address",
         "host code, line " + std::to_string(line) + ": " + name +
             " with a pointer to device memory works on the host, which cannot touch it" +
             (name.substr(0, 8) == "thrust::" ? "; with thrust::device it would work there" : ""));
}

}  // namespace cuset_host
