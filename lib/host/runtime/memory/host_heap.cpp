#include "host_heap.h"

#include <sys/syscall.h>

#include <algorithm>
#include <atomic>
#include <iterator>

#include "core/system_calls.h"
#include "cuset_host/device_memory.h"

#ifdef CUSET_HOST_CHECK
#include <sanitizer/asan_interface.h>

#include <array>
#include <cstring>
#include <map>
#include <mutex>

/// Its header is not among the compiler's.
extern "C" int __sanitizer_get_ownership(const volatile void* p);
#endif

namespace cuset_host {

#ifdef CUSET_HOST_CHECK

void note_heap() {}

// AddressSanitizer's allocator has a place of its own, which depends on its version.
heap_bounds host_heap() { return {0x500000000000, 0x640000000000}; }

namespace {

struct block {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    /// Who has allocated it: another one may lie there later.
    std::array<void*, 8> callers{};

    bool operator==(const block& other) const {
        return begin == other.begin && bytes == other.bytes && callers == other.callers;
    }
};

/// False if there is none, or it was freed.
bool find_block(std::uintptr_t p, block& found) {
    if (!host_heap().hold(p)) return false;
    char name[8];
    void* begin = nullptr;
    const char* const kind =
        __asan_locate_address(reinterpret_cast<void*>(p), name, sizeof name, &begin, &found.bytes);
    found.begin = reinterpret_cast<std::uintptr_t>(begin);
    if (std::strcmp(kind, "heap") != 0 || p - found.begin > found.bytes) return false;
    if (__sanitizer_get_ownership(begin) == 0) return false;
    int thread = 0;
    __asan_get_alloc_stack(begin, found.callers.data(), found.callers.size(), &thread);
    return true;
}

struct copied_blocks {
    std::mutex mutex;
    std::map<std::uintptr_t, block> by_begin;
    std::atomic<bool> any{false};
};
copied_blocks& copied() {
    static copied_blocks& made = *new copied_blocks;
    return made;
}

}  // namespace

bool is_on_host_heap(std::uintptr_t p) {
    block found;
    return find_block(p, found);
}

bool keep_copied_block(std::uintptr_t p) {
    block found;
    if (!find_block(p, found)) return false;
    const std::lock_guard lock(copied().mutex);
    copied().by_begin[found.begin] = found;
    copied().any = true;
    return true;
}

bool is_in_copied_block(std::uintptr_t p) {
    if (!copied().any || !host_heap().hold(p)) return false;
    const std::lock_guard lock(copied().mutex);
    const auto next = copied().by_begin.upper_bound(p);
    if (next == copied().by_begin.begin()) return false;
    const block& kept = std::prev(next)->second;
    block now;
    return p - kept.begin < kept.bytes && find_block(p, now) && now == kept;
}

bool host_blocks::begin_at(std::uintptr_t p) {
    return host_heap().hold(p) && p % 16 == 0 &&
           __sanitizer_get_ownership(reinterpret_cast<const void*>(p)) != 0;
}
bool host_blocks::is_in_found(std::uintptr_t) { return false; }

#else

bool keep_copied_block(std::uintptr_t) { return false; }
bool is_in_copied_block(std::uintptr_t) { return false; }

namespace {

std::uintptr_t heap_begin = 0;

// A block of the C library's malloc begins with a word that has its size and, in the lowest bit,
// whether the block before is in use. What malloc gave begins behind that word.
constexpr std::uintptr_t flags = 7, before_is_used = 1, in_other_arena = 4, head_bytes = 16;

std::uintptr_t head_of(std::uintptr_t block) {
    return *reinterpret_cast<const volatile std::uintptr_t*>(block + sizeof block);
}
/// The block behind; 0 where there can be none.
std::uintptr_t next_of(std::uintptr_t block, const heap_bounds& heap) {
    const std::uintptr_t head = head_of(block), bytes = head & ~flags;
    const bool is_block = bytes >= 32 && bytes % 16 == 0 && (head & in_other_arena) == 0;
    return is_block && bytes <= heap.end - block ? block + bytes : 0;
}
/// The block behind one that is in use.
std::uintptr_t next_of_used(std::uintptr_t block, const heap_bounds& heap) {
    const std::uintptr_t next = next_of(block, heap);
    const bool is_there = next != 0 && heap.end - next >= 16;
    return is_there && (head_of(next) & before_is_used) != 0 ? next : 0;
}

/// Programs that copy such words again and again would be slower: after so many blocks none counts.
std::atomic<std::int64_t> blocks_left{1 << 25};

/// Tells of all blocks, also free ones, in their order. False if the heap is not what it should be,
/// as when another thread takes memory now.
template <class Tell>
bool each_block(const Tell& tell) {
    const heap_bounds heap = host_heap();
    std::uintptr_t block = (heap.begin + 15) / 16 * 16;
    while (block != heap.end && --blocks_left > 0) {
        tell(block);
        const std::uintptr_t next = heap.end - block < 32 ? 0 : next_of(block, heap);
        if (next == 0) return false;
        block = next;
    }
    return block == heap.end;
}

/// None if the heap is not what it should be.
std::vector<std::uintptr_t> all_blocks() {
    std::size_t count = 0;
    if (!each_block([&](std::uintptr_t) { ++count; })) return {};
    std::vector<std::uintptr_t> found;
    found.reserve(count + 64);  // it is in the heap too, and must not move now
    const bool is_whole = each_block([&](std::uintptr_t block) {
        if (found.size() < found.capacity()) found.push_back(block);
    });
    return is_whole ? found : std::vector<std::uintptr_t>();
}

}  // namespace

void note_heap() {
    const auto end = static_cast<std::uintptr_t>(system_call(SYS_brk, 0));
    // The C library has not taken memory yet. Where the lower half of addresses would be a small
    // number, two integers could look like one: the heap begins behind.
    constexpr std::int32_t room = 4 * small_number;  // to grow before it
    const auto low = static_cast<std::int32_t>(end);
    const std::uintptr_t behind = end + static_cast<std::uintptr_t>(small_number - low);
    const bool is_there = low > -room && low < small_number;
    if (is_there) system_call(SYS_brk, static_cast<long>(behind));
    heap_begin = static_cast<std::uintptr_t>(system_call(SYS_brk, 0));
}

heap_bounds host_heap() {
    return {heap_begin, static_cast<std::uintptr_t>(system_call(SYS_brk, 0))};
}

bool is_on_host_heap(std::uintptr_t p) {
    constexpr std::uintptr_t far = std::uintptr_t{1} << 40;  // what is beyond is no call worth
    return p - heap_begin < far && host_heap().hold(p);
}

bool host_blocks::begin_at(std::uintptr_t p) {
    const heap_bounds heap = host_heap();
    if (p % 16 != 0 || !heap.hold(p) || p - heap.begin < head_bytes || heap.end - p < 16)
        return false;
    if (next_of_used(p - head_bytes, heap) == 0) return false;
    // Data in a block may look like blocks. So it must be one of those that follow each other from
    // the first to the end of the heap.
    if (!is_read_) begins_ = all_blocks();
    is_read_ = true;
    const bool is_there = std::binary_search(begins_.begin(), begins_.end(), p - head_bytes);
    if (is_there) found_.push_back(p - head_bytes);
    return is_there;
}

bool host_blocks::is_in_found(std::uintptr_t p) {
    if (!are_sorted_) std::sort(found_.begin(), found_.end());
    are_sorted_ = true;
    // What malloc gave reaches into the head of the block behind, up to the word of its size.
    const auto next = std::upper_bound(begins_.begin(), begins_.end(), p - sizeof p - 1);
    if (next == begins_.begin()) return false;
    const std::uintptr_t block = *std::prev(next);
    return p - block >= head_bytes && std::binary_search(found_.begin(), found_.end(), block);
}

#endif

}  // namespace cuset_host
