// The state of each byte of a range of memory, for --check.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cuset_host::checks {

enum class byte_state : unsigned char {
    outside,  ///< of all allocations and variables
    unset,    ///< never written
    set,
    freed,
    awaited,  ///< a copy to it has begun
};

/// Whether a read of so many bytes, of which `unset` are, may be that of an object: objects have
/// padding, and members that nobody uses, as vectors have. The bytes of a smaller scalar are set
/// together.
inline bool may_be_object(std::size_t bytes, std::size_t unset) {
    constexpr std::size_t smallest = 8;
    return bytes >= smallest && unset < bytes;
}

/// Memory for the states is taken as they are set.
class byte_states {
public:
    void watch(std::uintptr_t base, std::size_t bytes) {
        void* made = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        states_ = static_cast<byte_state*>(made);
        base_ = base;
        bytes_ = made == MAP_FAILED ? 0 : bytes;
    }
    bool holds(std::uintptr_t address) const { return address - base_ < bytes_; }
    byte_state& at(std::uintptr_t address) { return states_[address - base_]; }
    void fill(std::uintptr_t begin, std::size_t bytes, byte_state state) {
        std::memset(&at(begin), static_cast<int>(state), bytes);
    }

private:
    std::uintptr_t base_ = 0;
    std::size_t bytes_ = 0;
    byte_state* states_ = nullptr;
};

}  // namespace cuset_host::checks
