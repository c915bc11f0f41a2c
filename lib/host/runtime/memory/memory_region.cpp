#include "memory_region.h"

#include <sys/mman.h>

#include <algorithm>

#include "checks/checks.h"
#include "core/settings.h"
#include "core/system_calls.h"
#include "cuset_host/faults.h"

namespace cuset_host {

namespace {

/// The granularity at which a device maps memory: beyond it an access faults.
constexpr std::size_t step = std::size_t{2} << 20;
/// Behind the last allocation: what a program reads a little past an array's end is mapped on a
/// device, where the driver's own memory follows.
constexpr std::size_t room = checks::are_on ? 0 : step;
/// Freed memory goes back to the system from this size on, if enough is kept.
constexpr std::size_t large = std::size_t{16} << 20;

}  // namespace

memory_region::memory_region(std::size_t reserved_bytes, int key)
    : reserved_(reserved_bytes), key_(key) {
    void* made =
        ::mmap(nullptr, reserved_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED) fail("unsupported", "no addresses for device memory");
    // Large arrays are touched for the first time all the time: with pages of 4 KiB the faults take
    // longer than many kernels.
    ::madvise(made, reserved_, MADV_HUGEPAGE);
    base_ = reinterpret_cast<std::uintptr_t>(made);
    // On a device the driver's own memory lies around a program's.
    if constexpr (!checks::are_on) used_ = step;
}

std::uintptr_t memory_region::take(std::size_t bytes) {
    bytes = rounded(bytes);
    for (auto at = free_.begin(); at != free_.end(); ++at) {
        const auto [begin, found] = *at;
        if (found.bytes < bytes) continue;
        const std::size_t taken = std::min(found.kept, bytes);
        kept_ -= taken;
        free_.erase(at);
        if (found.bytes > bytes)
            free_.emplace(begin + bytes, hole{found.bytes - bytes, found.kept - taken});
        return begin;
    }
    if (bytes > reserved_ - used_) return 0;
    const std::size_t wanted = std::min(reserved_, (used_ + bytes + room + step - 1) / step * step);
    if (wanted > committed_) {
        if (!protect_plainly(base_ + committed_, wanted - committed_, PROT_READ | PROT_WRITE, key_))
            return 0;
        committed_ = wanted;
    }
    const std::uintptr_t begin = base_ + used_;
    used_ += bytes;
    return begin;
}

void memory_region::give_back(std::uintptr_t begin, std::size_t bytes) {
    bytes = rounded(bytes);
    hole made{bytes, bytes};
    if (bytes >= large && (checks::are_on || kept_ + bytes > kept_memory())) {
        const std::uintptr_t page_begin = (begin + 4095) / 4096 * 4096;
        const std::uintptr_t page_end = (begin + bytes) / 4096 * 4096;
        ::madvise(reinterpret_cast<void*>(page_begin), page_end - page_begin, MADV_DONTNEED);
        made.kept = 0;
    }
    kept_ += made.kept;
    const auto join = [](hole& with, const hole& other) {
        with.bytes += other.bytes;
        with.kept += other.kept;
    };
    auto next = free_.lower_bound(begin);
    if (next != free_.end() && next->first == begin + bytes) {
        join(made, next->second);
        next = free_.erase(next);
    }
    if (next != free_.begin()) {
        const auto before = std::prev(next);
        if (before->first + before->second.bytes == begin) return join(before->second, made);
    }
    free_.emplace(begin, made);
}

void memory_region::protect(bool open) const {
    if (committed_ != 0)
        protect_plainly(base_, committed_, open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

}  // namespace cuset_host
