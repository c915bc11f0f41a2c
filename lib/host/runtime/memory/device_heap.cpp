// The heap of kernels: free lists by powers of two, cut from allocations of the device.
#include "cuset_host/device_heap.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string>

#include "checks/checks.h"
#include "cuset_host/device_memory.h"
#include "cuset_host/faults.h"
#include "cuset_host/threads/execution.h"
#include "races/races.h"

namespace cuset_host {

namespace {

constexpr std::size_t chunk = std::size_t{1} << 20;
/// Larger blocks, and all in checked programs, are allocations of their own.
constexpr std::size_t largest = checks::are_on ? 0 : chunk / 16;
constexpr unsigned class_bits = 8;
constexpr std::uint64_t in_use = 0x6375736574206865, unused = 0x6375736574206670;

/// Before each block of a chunk.
struct alignas(16) header {
    std::uint64_t state;
    header* next;  // of the free list
};

struct heap {
    std::mutex mutex;
    header* free[64] = {};
    unsigned char *next = nullptr, *end = nullptr;
};

/// Bytes that kernels hold, as they asked for them: a device, which rounds them up, has no room for
/// more either.
std::atomic<std::size_t> held{0};

/// A request that is too large takes nothing from others, not even for a moment.
bool hold(std::size_t bytes) {
    const std::size_t limit = limit_of_device_heap();
    std::size_t before = held;
    do
        if (before > limit || bytes > limit - before) return false;
    while (!held.compare_exchange_weak(before, before + bytes));
    return true;
}
void let_go(std::size_t bytes) {
    std::size_t before = held;
    while (!held.compare_exchange_weak(before, before - std::min(bytes, before)))
        ;
}

heap& the_heap() {
    static heap& made = *new heap;  // outlives main
    return made;
}

/// The power of two that holds so many bytes and a header.
unsigned class_of(std::size_t bytes) {
    return 64 - static_cast<unsigned>(__builtin_clzll(bytes + sizeof(header) - 1));
}

void* take(std::size_t bytes) {
    heap& h = the_heap();
    const unsigned size = class_of(bytes);
    const std::lock_guard lock(h.mutex);
    header*& first = h.free[size];
    if (first == nullptr) {
        const std::size_t whole = std::size_t{1} << size;
        if (static_cast<std::size_t>(h.end - h.next) < whole) {
            h.next = static_cast<unsigned char*>(allocate(chunk, memory_kind::heap));
            if (h.next == nullptr) return h.end = nullptr;
            h.end = h.next + chunk;
        }
        first = reinterpret_cast<header*>(h.next);
        h.next += whole;
        *first = {unused, nullptr};
    }
    header* taken = first;
    first = taken->next;
    // A block in use has its class and what was asked for in the place of the next one.
    *taken = {in_use, reinterpret_cast<header*>(std::uintptr_t{size} | bytes << class_bits)};
    return taken + 1;
}

[[noreturn]] void fail_free(const char* what) {
    begin_fault("illegal_address");
    fail("illegal_address", running_thread() + ": free of " + what);
}

}  // namespace

void reset_device_heap() { held = 0; }

void* device_malloc(std::size_t bytes) {
    if (!is_in_kernel()) return std::malloc(bytes);
    if (bytes == 0 || !hold(bytes)) return nullptr;
    void* const made = bytes > largest ? allocate(bytes, memory_kind::heap) : take(bytes);
    if (made != nullptr)
        races::forget(made, bytes);  // another thread had it before
    else
        let_go(bytes);
    return made;
}

void device_free(void* p) {
    if (p == nullptr) return;
    if (!is_device_address(p)) return std::free(p);
    allocation found;
    const bool is_found = find_allocation(p, found);
    if (release(p, memory_kind::heap)) {
        if (is_found) let_go(found.bytes);
        return;
    }
    if (!is_in_kernel()) fail_free("memory of a kernel's heap");
    auto* block = static_cast<header*>(p) - 1;
    if (largest == 0 || !find_allocation(block, found) || found.kind != memory_kind::heap)
        fail_free("what malloc of a kernel did not give");
    heap& h = the_heap();
    const std::lock_guard lock(h.mutex);
    if (block->state != in_use) fail_free("memory that is not in use");
    const auto about = reinterpret_cast<std::uintptr_t>(block->next);
    let_go(about >> class_bits);
    header*& first = h.free[about & ((1U << class_bits) - 1)];
    *block = {unused, first};
    first = block;
}

}  // namespace cuset_host
