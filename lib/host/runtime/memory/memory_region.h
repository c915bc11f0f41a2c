// A range of addresses from which allocations are cut as a device's driver cuts them: neighbours
// are close, and freed memory is used again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace cuset_host {

class memory_region {
public:
    /// Reserves addresses; memory is taken as it is used. `key`: a protection key, or -1.
    memory_region(std::size_t reserved_bytes, int key);
    memory_region(const memory_region&) = delete;
    memory_region& operator=(const memory_region&) = delete;

    bool holds(std::uintptr_t address) const { return address - base_ < reserved_; }
    /// Returns 0 if there are no addresses left. Aligned to 512 bytes.
    std::uintptr_t take(std::size_t bytes);
    /// Gives back a result of take(), with the same size.
    void give_back(std::uintptr_t begin, std::size_t bytes);
    /// What has been handed out so far lies in [base, used_end).
    std::uintptr_t base() const { return base_; }
    std::uintptr_t used_end() const { return base_ + used_; }
    static std::size_t rounded(std::size_t bytes) { return (bytes + 511) / 512 * 512; }
    /// Opens or closes all of it by mprotect.
    void protect(bool open) const;

private:
    std::uintptr_t base_ = 0;
    std::size_t reserved_ = 0, committed_ = 0, used_ = 0;
    int key_;
    struct hole {
        std::size_t bytes, kept;  // of these bytes, about how many the system has not got back
    };
    std::map<std::uintptr_t, hole> free_;  // by their beginning; neighbours are joined
    std::size_t kept_ = 0;                 // of all holes
};

}  // namespace cuset_host
