// Where memory is, by what it is for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuset_host {

struct byte_range {
    std::uintptr_t begin;
    std::size_t bytes;
};
/// What only a device reaches: allocations, and variables that were asked for by address.
std::vector<byte_range> memory_of_device();

/// Whether it is of a variable of the device.
bool is_device_variable(const void* p);
/// Whether a pointer is one to memory of the host that the device cannot touch.
bool is_host_address(const void* p);

}  // namespace cuset_host
