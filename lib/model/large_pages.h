// Memory in large pages, where the system gives them to who asks (Linux's "madvise"). A product of
// few rows takes as long as its matrix takes to be read, and with pages of 4 KiB some of that is spent
// on finding them. Private to lib/model.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace cuset {

constexpr std::size_t large_page = std::size_t{1} << 21;

struct release_memory {
    void operator()(void* pointer) const { std::free(pointer); }
};

/// Uninitialised memory on a cache line's boundary, and in large pages if it fills some. Throws
/// std::bad_alloc.
inline std::unique_ptr<void, release_memory> allocate_lines(std::size_t bytes) {
    const std::size_t alignment = bytes >= large_page ? large_page : 64;
    const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
    std::unique_ptr<void, release_memory> made(std::aligned_alloc(alignment, whole));
    if (!made) throw std::bad_alloc();
    if (alignment == large_page) {
        // The last one is worth it if most of it is used. A refusal costs time, nothing else.
        const bool is_full = whole - bytes <= large_page / 4;
        ::madvise(made.get(), is_full ? whole : whole - large_page, MADV_HUGEPAGE);
    }
    return made;
}

/// Pieces of memory that live as long as it does. Small matrices share pages.
class large_pages {
public:
    /// Uninitialised, on a cache line's boundary.
    void* take(std::size_t bytes) {
        bytes = (bytes + 63) / 64 * 64;
        if (bytes > left_) {
            const std::size_t region = std::max(bytes, 16 * large_page);
            regions_.push_back(allocate_lines(region));
            next_ = static_cast<std::byte*>(regions_.back().get());
            left_ = region;
        }
        left_ -= bytes;
        return std::exchange(next_, next_ + bytes);
    }

private:
    std::vector<std::unique_ptr<void, release_memory>> regions_;
    std::byte* next_ = nullptr;
    std::size_t left_ = 0;
};

}  // namespace cuset
