#include "cuset_host/device_memory.h"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

#include "checks/checks.h"
#include "core/settings.h"
#include "costs/costs.h"
#include "core/system_calls.h"
#include "cuset_host/faults.h"
#include "device/device_model.h"
#include "device_words.h"
#include "host_words.h"
#include "kernel_stores.h"
#include "memory_ranges.h"
#include "memory_region.h"
#include "races/races.h"

// Variables of __managed__, and of the program.
extern "C" {
extern char __start_cuset_managed[] __attribute__((weak));
extern char __stop_cuset_managed[] __attribute__((weak));
extern char etext[], __data_start[], end[];
}

namespace cuset_host {

namespace {

constexpr int no_key = -1;

/// The room before and after each allocation in checked programs.
constexpr std::size_t red_zone = checks::are_on ? 512 : 0;
/// In checked programs, freed memory is not used again before so many bytes have been freed.
constexpr std::size_t quarantined_bytes = std::size_t{256} << 20;

int make_key() {
    if (settings().without_keys) return no_key;
    const long key = system_call(SYS_pkey_alloc, 0, PKEY_DISABLE_ACCESS);
    return key < 0 ? no_key : static_cast<int>(key);
}

/// The rights of this thread by key, two bits each. The C library's functions for them may be
/// replaced by the program's.
std::uint32_t rights() {
    std::uint32_t low, high;
    asm volatile(".byte 0x0f, 0x01, 0xee" : "=a"(low), "=d"(high) : "c"(0));  // rdpkru
    return low;
}

void set_rights(int key, std::uint32_t wanted) {
    const std::uint32_t value = (rights() & ~(3U << (2 * key))) | wanted << (2 * key);
    asm volatile(".byte 0x0f, 0x01, 0xef" : : "a"(value), "c"(0), "d"(0) : "memory");  // wrpkru
}

struct memory {
    const int key = make_key();
    memory_region device, shared_with_host;
    std::mutex mutex;
    std::map<std::uintptr_t, allocation> allocations;  // by their beginning
    std::map<std::uintptr_t, std::size_t> symbols, pinned, variables;
    std::map<std::uintptr_t, std::pair<std::uintptr_t, std::size_t>> shadows;
    std::deque<allocation> quarantine;
    std::size_t quarantined = 0;
    std::uint64_t count = 0;
    std::size_t device_bytes = 0;
    unsigned open = 0;  // without a key: how many may touch device memory now
    std::atomic<bool> is_open_to_host{false};

    memory() : device(std::size_t{1} << 38, key), shared_with_host(std::size_t{1} << 38, no_key) {
        for (const memory_region* region : {&device, &shared_with_host}) {
            checks::watch_region(region->base(), std::size_t{1} << 38);
            races::watch_region(region->base(), std::size_t{1} << 38);
            costs::watch_region(region->base(), std::size_t{1} << 38);
        }
    }
};

memory& all() {
    static memory& made = *new memory;  // used by destructors of the program's variables too
    return made;
}

/// Before the program's own variables are made: they may allocate.
__attribute__((constructor(101))) void begin_program() {
    // Large blocks of malloc are in the heap too, where an address is known to be the host's.
    ::mallopt(M_MMAP_MAX, 0);
    ::mallopt(M_TRIM_THRESHOLD, static_cast<int>(std::min<std::uint64_t>(kept_memory(), INT_MAX)));
    all();
    note_shared_words();
    have_new_and_delete();
    std::atexit([] {  // the first, and so called last
        tell_counts();
        costs::tell();
    });
}

std::uintptr_t number_of(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

bool is_devices_own(memory_kind kind) {
    return kind == memory_kind::device || kind == memory_kind::heap ||
           kind == memory_kind::reserved;
}

bool is_counted(memory_kind kind) {
    return kind == memory_kind::device || kind == memory_kind::heap;
}

/// Whether digests and counts of what was never freed leave it out.
bool is_aside(memory_kind kind) {
    return kind == memory_kind::pinned || kind == memory_kind::heap ||
           kind == memory_kind::reserved;
}

memory_region& region_of(memory_kind kind) {
    return is_devices_own(kind) ? all().device : all().shared_with_host;
}

bool is_managed_variable(std::uintptr_t p) {
    return p >= number_of(__start_cuset_managed) && p < number_of(__stop_cuset_managed);
}

/// The lock must be held.
const allocation* holder(std::uintptr_t p) {
    const auto next = all().allocations.upper_bound(p);
    if (next == all().allocations.begin()) return nullptr;
    const allocation& before = std::prev(next)->second;
    return p - before.begin < before.bytes ? &before : nullptr;
}

bool is_in(const std::map<std::uintptr_t, std::size_t>& ranges, std::uintptr_t p) {
    const auto next = ranges.upper_bound(p);
    if (next == ranges.begin()) return false;
    const auto& [begin, bytes] = *std::prev(next);
    return p - begin < bytes;
}

}  // namespace

void fill_fresh(void* begin, std::size_t bytes) {
    if (!checks::are_on && !races::are_on) {
        std::memset(begin, 0, bytes);
        return;
    }
    auto* at = static_cast<unsigned char*>(begin);
    const std::uint64_t two = std::uint64_t{fresh_word} << 32 | fresh_word;
    std::size_t i = 0;
    for (; i + sizeof two <= bytes; i += sizeof two) std::memcpy(at + i, &two, sizeof two);
    std::memcpy(at + i, &two, bytes - i);
}

device_access::device_access() {
    memory& m = all();
    if (m.key != no_key) {
        nested_ = (rights() >> (2 * m.key) & 3) == 0;
        if (!nested_) set_rights(m.key, 0);
        return;
    }
    const std::lock_guard lock(m.mutex);
    if (m.open++ == 0) m.device.protect(true);
}

device_access::~device_access() {
    memory& m = all();
    if (m.key != no_key) {
        if (!nested_) set_rights(m.key, PKEY_DISABLE_ACCESS);
        return;
    }
    const std::lock_guard lock(m.mutex);
    if (--m.open == 0) m.device.protect(false);
}

void* allocate(std::size_t bytes, memory_kind kind) {
    memory& m = all();
    const device_access open;
    const std::lock_guard lock(m.mutex);
    if (is_counted(kind) && bytes > device().memory - m.device_bytes) return nullptr;
    const std::size_t whole = bytes + 2 * red_zone;
    if (whole < bytes) return nullptr;
    const std::uintptr_t begin = region_of(kind).take(whole);
    if (begin == 0) return nullptr;
    // Else memory is as on a device: zero at first, then what was left there. A search has not the
    // time, nor the memory, to fill all of a large allocation.
    constexpr std::size_t most_of_search = std::size_t{16} << 20;
    if ((checks::are_on || races::are_on) && kind != memory_kind::pinned)
        fill_fresh(reinterpret_cast<void*>(begin + red_zone),
                   checks::are_on ? bytes : std::min(bytes, most_of_search));
    m.allocations[begin + red_zone] = {begin + red_zone, bytes, kind, ++m.count};
    follow(begin + red_zone, bytes, kind);
    if (!is_devices_own(kind)) shared_words_begin(begin + red_zone, bytes, false);
    if (is_counted(kind)) m.device_bytes += bytes;
    checks::allocated(begin + red_zone, bytes, !is_devices_own(kind));
    races::allocated(reinterpret_cast<void*>(begin + red_zone), bytes);
    return reinterpret_cast<void*>(begin + red_zone);
}

bool release(void* p, memory_kind kind) {
    memory& m = all();
    const device_access open;
    const std::lock_guard lock(m.mutex);
    const auto found = m.allocations.find(number_of(p));
    if (found == m.allocations.end() || found->second.kind != kind) return false;
    const allocation a = found->second;
    m.allocations.erase(found);
    stop_following(a.begin);
    if (!is_devices_own(kind)) shared_words_end(a.begin);
    if (is_counted(kind)) m.device_bytes -= a.bytes;
    if (!checks::are_on) {
        region_of(kind).give_back(a.begin, a.bytes);
        return true;
    }
    checks::freed(a.begin, a.bytes);
    m.quarantine.push_back(a);
    for (m.quarantined += a.bytes; m.quarantined > quarantined_bytes; m.quarantine.pop_front()) {
        const allocation& oldest = m.quarantine.front();
        region_of(oldest.kind).give_back(oldest.begin - red_zone, oldest.bytes + 2 * red_zone);
        m.quarantined -= oldest.bytes;
    }
    return true;
}

bool is_device_address(const void* p) { return all().device.holds(number_of(p)); }

void declare_symbol(const void* pointer, std::size_t bytes) {
    const std::uintptr_t p = number_of(pointer);
    const std::lock_guard lock(all().mutex);
    // The translation does not know members of classes and templates, but they are variables.
    const bool is_variable = p >= number_of(__data_start) && p < number_of(end);
    if (is_variable || is_in(all().variables, p)) all().symbols[p] = bytes;
}

device_variable::device_variable(const volatile void* p, std::size_t bytes) {
    const std::lock_guard lock(all().mutex);
    all().variables[reinterpret_cast<std::uintptr_t>(p)] = bytes;
}

host_shadow::host_shadow(const volatile void* shadow, const volatile void* real,
                         std::size_t bytes) {
    const std::lock_guard lock(all().mutex);
    all().shadows[reinterpret_cast<std::uintptr_t>(shadow)] = {
        reinterpret_cast<std::uintptr_t>(real), bytes};
}

const void* real_symbol(const void* pointer) {
    const std::uintptr_t p = number_of(pointer);
    const std::lock_guard lock(all().mutex);
    auto next = all().shadows.upper_bound(p);
    if (next == all().shadows.begin()) return pointer;
    const auto& [begin, real] = *--next;
    if (p - begin >= real.second) return pointer;
    return reinterpret_cast<const void*>(real.first + (p - begin));
}

std::size_t symbol_bytes(const void* p) {
    const std::lock_guard lock(all().mutex);
    const auto found = all().symbols.find(number_of(p));
    if (found != all().symbols.end()) return found->second;
    const auto variable = all().variables.find(number_of(p));  // its address came as a void*
    if (variable == all().variables.end()) return 0;
    return all().symbols[number_of(p)] = variable->second;
}

bool pin(const void* p, std::size_t bytes) {
    {
        const std::lock_guard lock(all().mutex);
        if (!all().pinned.emplace(number_of(p), bytes).second) return false;
        follow(number_of(p), bytes, memory_kind::pinned);
        shared_words_begin(number_of(p), bytes, true);
    }
    host_memory_is_shared(p, bytes);
    return true;
}

bool unpin(const void* p) {
    const std::lock_guard lock(all().mutex);
    const bool was_pinned = all().pinned.erase(number_of(p)) != 0;
    if (!was_pinned) return false;
    stop_following(number_of(p));
    shared_words_end(number_of(p));
    return true;
}

memory_kind kind_of(const void* pointer) {
    memory& m = all();
    const std::uintptr_t p = number_of(pointer);
    if (m.device.holds(p)) return memory_kind::device;
    const std::lock_guard lock(m.mutex);
    if (m.shared_with_host.holds(p)) {
        const allocation* a = holder(p);
        return a != nullptr ? a->kind : memory_kind::managed;
    }
    if (is_in(m.pinned, p)) return memory_kind::pinned;
    if (is_managed_variable(p)) return memory_kind::managed;
    return is_in(m.symbols, p) ? memory_kind::symbol : memory_kind::host;
}

bool find_allocation(const void* p, allocation& found) {
    const std::lock_guard lock(all().mutex);
    const allocation* a = holder(number_of(p));
    if (a != nullptr) found = *a;
    return a != nullptr;
}

bool find_nearest(const void* pointer, allocation& found) {
    memory& m = all();
    const std::uintptr_t p = number_of(pointer);
    const std::lock_guard lock(m.mutex);
    const auto far_from = [p](const allocation& a) {
        return p < a.begin ? a.begin - p : p < a.begin + a.bytes ? 0 : p - a.begin - a.bytes;
    };
    bool any = false;
    const auto consider = [&](const allocation& a) {
        if (!any || far_from(a) < far_from(found)) found = a;
        any = true;
    };
    for (const auto& [begin, a] : m.allocations) consider(a);
    for (const auto& a : m.quarantine) consider(a);
    return any;
}

bool is_within(const void* pointer, std::size_t bytes) {
    memory& m = all();
    const std::uintptr_t p = number_of(pointer);
    if (!m.device.holds(p) && !m.shared_with_host.holds(p)) return true;
    const std::lock_guard lock(m.mutex);
    const allocation* a = holder(p);
    return a != nullptr && bytes <= a->bytes - (p - a->begin);
}

std::size_t free_bytes() {
    const std::lock_guard lock(all().mutex);
    return device().memory - all().device_bytes;
}

std::size_t unfreed(std::size_t& bytes) {
    const std::lock_guard lock(all().mutex);
    std::size_t count = 0;
    bytes = 0;
    for (const auto& [begin, a] : all().allocations) {
        if (is_aside(a.kind)) continue;
        ++count;
        bytes += a.bytes;
    }
    return count;
}

std::uint64_t memory_digest() {
    const device_access open;
    const std::lock_guard lock(all().mutex);
    std::uint64_t hash = 0xcbf29ce484222325;
    const auto mix = [&](std::uint64_t word) {
        hash = (hash ^ word) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 32;
    };
    for (const auto& [begin, a] : all().allocations) {
        if (is_aside(a.kind)) continue;
        mix(a.bytes);
        const auto* at = reinterpret_cast<const unsigned char*>(begin);
        std::size_t i = 0;
        for (; i + 8 <= a.bytes; i += 8) {
            std::uint64_t word;
            std::memcpy(&word, at + i, sizeof word);
            mix(word);
        }
        for (; i < a.bytes; ++i) mix(at[i]);
    }
    return hash;
}

void open_to_host() {
    static const device_access& forever = *new device_access;
    static_cast<void>(forever);
    all().is_open_to_host = true;
}

bool is_open_to_host() { return all().is_open_to_host; }

int device_key() { return all().key; }

std::vector<byte_range> memory_of_device() {
    const std::lock_guard lock(all().mutex);
    std::vector<byte_range> found;
    for (const auto& [begin, a] : all().allocations)
        if (is_counted(a.kind)) found.push_back({begin, a.bytes});
    for (const auto& [begin, bytes] : all().symbols) found.push_back({begin, bytes});
    return found;
}

bool is_device_variable(const void* p) {
    const std::lock_guard lock(all().mutex);
    return is_in(all().variables, number_of(p));
}

}  // namespace cuset_host
