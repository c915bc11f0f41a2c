// new and delete of programs: delete gets what kernels took from the device's heap too. Weak, since
// a program may have its own.
#include <cstdlib>
#include <new>

#include "cuset_host/device_heap.h"
#include "cuset_host/device_memory.h"

#define CUSET_HOST_REPLACED __attribute__((weak))

namespace {

void* made(std::size_t bytes) {
    if (void* p = std::malloc(bytes == 0 ? 1 : bytes)) return p;
    throw std::bad_alloc();
}

void* made(std::size_t bytes, std::align_val_t alignment) {
    const auto to = static_cast<std::size_t>(alignment);
    if (void* p = std::aligned_alloc(to, (bytes + to - 1) / to * to)) return p;
    throw std::bad_alloc();
}

void ended(void* p) { cuset_host::device_free(p); }

}  // namespace

namespace cuset_host {

void have_new_and_delete() {}

}  // namespace cuset_host

CUSET_HOST_REPLACED void* operator new(std::size_t n) { return made(n); }
CUSET_HOST_REPLACED void* operator new[](std::size_t n) { return made(n); }
CUSET_HOST_REPLACED void* operator new(std::size_t n, std::align_val_t a) { return made(n, a); }
CUSET_HOST_REPLACED void* operator new[](std::size_t n, std::align_val_t a) { return made(n, a); }
CUSET_HOST_REPLACED void operator delete(void* p) noexcept { ended(p); }
CUSET_HOST_REPLACED void operator delete[](void* p) noexcept { ended(p); }
CUSET_HOST_REPLACED void operator delete(void* p, std::size_t) noexcept { ended(p); }
CUSET_HOST_REPLACED void operator delete[](void* p, std::size_t) noexcept { ended(p); }
CUSET_HOST_REPLACED void operator delete(void* p, std::align_val_t) noexcept { ended(p); }
CUSET_HOST_REPLACED void operator delete[](void* p, std::align_val_t) noexcept { ended(p); }
CUSET_HOST_REPLACED void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
    ended(p);
}
CUSET_HOST_REPLACED void operator delete[](void* p, std::size_t, std::align_val_t) noexcept {
    ended(p);
}
