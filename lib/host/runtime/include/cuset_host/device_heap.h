// malloc, free, new and delete of kernels: memory of the device, which host code cannot touch. The
// translator puts these in the place of malloc, free and new in device code; delete is told apart
// by the address.
#pragma once

#include <cstddef>

namespace cuset_host {

/// Bytes, as cudaLimitMallocHeapSize sets them: 8 MiB in the beginning.
std::size_t limit_of_device_heap();
/// The device has been reset: what kernels hold no longer counts.
void reset_device_heap();
/// In a kernel, `bytes` of the device's heap, aligned to 16, or null if it would hold more than its
/// limit, or the device has no more. In host code, what the C library gives.
void* device_malloc(std::size_t bytes);
/// Frees what device_malloc gave, or the C library.
void device_free(void* p);
/// Whether an address is in device memory. Takes no lock.
bool is_device_address(const void* p);

struct device_heap_tag {};
inline constexpr device_heap_tag device_heap;

}  // namespace cuset_host

inline void* operator new(std::size_t bytes, cuset_host::device_heap_tag) noexcept {
    return cuset_host::device_malloc(bytes);
}
inline void* operator new[](std::size_t bytes, cuset_host::device_heap_tag) noexcept {
    return cuset_host::device_malloc(bytes);
}
inline void operator delete(void* p, cuset_host::device_heap_tag) noexcept {
    cuset_host::device_free(p);
}
inline void operator delete[](void* p, cuset_host::device_heap_tag) noexcept {
    cuset_host::device_free(p);
}
