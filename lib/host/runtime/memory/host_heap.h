// The heap of host code: what malloc and new give there.
#pragma once

#include <cstdint>
#include <vector>

namespace cuset_host {

/// Numbers of data are seldom larger.
inline constexpr std::int32_t small_number = 1 << 24;

/// The addresses between which the heap lies now. Not all in between need be of it.
struct heap_bounds {
    std::uintptr_t begin, end;
    bool hold(std::uintptr_t p) const { return p - begin < end - begin; }
};
heap_bounds host_heap();

/// Whether an address is of the heap.
bool is_on_host_heap(std::uintptr_t p);
/// In checked programs each access of a kernel is seen. So a word that was copied stays what it is
/// there, and the block that it points into is kept in mind: false elsewhere.
bool keep_copied_block(std::uintptr_t p);
/// Whether an address is in such a block that is what it was.
bool is_in_copied_block(std::uintptr_t p);

/// Where the blocks begin that malloc has given, and that are not freed. To be asked while one copy
/// is looked at: it reads the heap once.
class host_blocks {
public:
    bool begin_at(std::uintptr_t p);
    /// Whether begin_at() has found any. False in checked programs, where no word changes.
    bool any_found() const { return !found_.empty(); }
    /// Whether an address is of such a block, or of its end; to be asked after all begin_at().
    bool is_in_found(std::uintptr_t p);

private:
    bool is_read_ = false, are_sorted_ = false;
    std::vector<std::uintptr_t> begins_{};  // ascending
    std::vector<std::uintptr_t> found_{};
};

}  // namespace cuset_host
