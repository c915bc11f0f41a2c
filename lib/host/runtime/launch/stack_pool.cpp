#include "stack_pool.h"

#include <sys/mman.h>

#include <atomic>
#include <cstdint>

#include "checks/checks.h"
#include "core/settings.h"
#include "cuset_host/faults.h"

namespace cuset_host {

namespace {

constexpr std::size_t guard = 4096;  // below the lowest stack of a chunk

// What a thread touches of its stack at least; with the sanitizer's shadow of it.
constexpr std::size_t least_bytes = checks::are_on ? 3 * 4096 : 2 * 4096;

std::atomic<std::size_t> all_taken{0};  // stacks of all pools

[[noreturn]] void fail_for_want_of_memory() {
    fail("unsupported", running_thread() + ": the stacks of so many threads that wait for each " +
                            "other need more memory than programs may take");
}

}  // namespace

stack_pool::~stack_pool() {
    for (unsigned char* chunk : chunks_)
        if (chunk != nullptr) ::munmap(chunk, guard + in_a_chunk * bytes_);
    all_taken -= taken_;
}

unsigned char* stack_pool::get(std::size_t index) {
    ++taken_;
    if (const std::uint64_t memory = settings().memory_bytes;
        ++all_taken * least_bytes > memory && memory != 0)
        fail_for_want_of_memory();
    unsigned char*& chunk = chunks_[index / in_a_chunk];
    if (chunk == nullptr) {
        void* made = ::mmap(nullptr, guard + in_a_chunk * bytes_, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        if (made == MAP_FAILED) fail_for_want_of_memory();
        chunk = static_cast<unsigned char*>(made);
        ::mprotect(chunk, guard, PROT_NONE);
    }
    return chunk + guard + index % in_a_chunk * bytes_;
}

bool stack_pool::holds(std::uintptr_t address) const {
    for (const unsigned char* chunk : chunks_) {
        if (chunk == nullptr) return false;  // they are taken in order
        if (address - reinterpret_cast<std::uintptr_t>(chunk) < guard + in_a_chunk * bytes_)
            return true;
    }
    return false;
}

}  // namespace cuset_host
