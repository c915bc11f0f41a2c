#include "traps.h"

#include <sys/mman.h>

#include <atomic>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>

#include "cuset_host/device_memory.h"
#include "cuset_host/faults.h"
#include "program_image.h"

namespace cuset_host {

namespace {

constexpr std::uintptr_t trap_bytes = std::uintptr_t{1} << 32;  // distances up to 4 GiB stay
/// What a kernel computes from an address stays so near.
constexpr std::uintptr_t near = std::uintptr_t{1} << 20;
/// Words beyond are left alone.
constexpr std::size_t most_kept = std::size_t{1} << 20;

struct kept_word {
    std::uintptr_t word;
    host_word meaning;
    host_word_way way;
};

struct state {
    std::uintptr_t begin = 0;
    std::mutex mutex;
    std::map<std::uintptr_t, kept_word> kept;  // by the address that traps
    std::atomic<std::uintptr_t> lowest{~std::uintptr_t{0}}, highest{0};

    state() {
        void* made = ::mmap(nullptr, trap_bytes, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (made == MAP_FAILED) fail("unsupported", "no addresses for device memory");
        begin = reinterpret_cast<std::uintptr_t>(made);
    }
};

state& all() {
    static state& made = *new state;  // used by destructors of the program's variables too
    return made;
}

std::uintptr_t trap_of(std::uintptr_t word) { return all().begin + word % trap_bytes; }

/// The kept word whose trap is nearest. The lock must be held.
const std::pair<const std::uintptr_t, kept_word>* nearest(std::uintptr_t address) {
    const auto& kept = all().kept;
    if (kept.empty()) return nullptr;
    const auto next = kept.lower_bound(address);
    if (next == kept.begin()) return &*next;
    const auto before = std::prev(next);
    if (next == kept.end()) return &*before;
    return next->first - address < address - before->first ? &*next : &*before;
}

std::uintptr_t distance(std::uintptr_t a, std::uintptr_t b) { return a < b ? b - a : a - b; }

/// What it stands for; itself, if that is nothing. The lock must be held.
std::uintptr_t original_of(std::uintptr_t address) {
    const auto* const found = nearest(address);
    if (found == nullptr || distance(found->first, address) >= near) return address;
    return found->second.word + (address - found->first);
}

/// Gives each aligned word to `change`, and keeps what it returns.
template <class Change>
void each_word(void* begin, std::size_t bytes, std::uintptr_t alignment, const Change& change) {
    constexpr std::size_t size = sizeof(std::uintptr_t);
    const std::uintptr_t low = all().lowest - near, high = all().highest + near;
    auto* const at = static_cast<unsigned char*>(begin);
    for (std::size_t i = (size - alignment % size) % size; i + size <= bytes; i += size) {
        std::uintptr_t word;
        std::memcpy(&word, at + i, size);
        if (word - low >= high - low) continue;
        const std::lock_guard lock(all().mutex);
        const std::uintptr_t other = change(word);
        if (other == word) continue;
        // Where the host sees the memory too, it may have written there in the meantime.
        auto* const place = reinterpret_cast<std::uintptr_t*>(at + i);
        if (reinterpret_cast<std::uintptr_t>(place) % size == 0)
            __atomic_compare_exchange_n(place, &word, other, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED);
        else
            std::memcpy(place, &other, size);
    }
}

constexpr wrong_use passed{"uses a pointer to host memory that was passed to the kernel",
                           " through a pointer to host memory that was passed to the kernel",
                           false};
constexpr wrong_use copied{"uses a pointer to host memory that was copied to the device",
                           " through a pointer to host memory that was copied to the device",
                           false};
constexpr wrong_use function{
    "calls a function through an address of the host: take it in device code",
    " through an address that host code has of a function", true};
constexpr wrong_use object{"calls a virtual function of an object that host code made",
                           " to call a virtual function of an object that host code made", false};

}  // namespace

std::uintptr_t trap_for(std::uintptr_t word, host_word meaning, host_word_way way) {
    state& s = all();
    const std::uintptr_t address = trap_of(word);
    const std::lock_guard lock(s.mutex);
    if (s.kept.size() >= most_kept) return word;
    const auto [found, is_new] = s.kept.emplace(address, kept_word{word, meaning, way});
    if (found->second.word != word) return word;
    if (!is_new) return address;
    if (address < s.lowest) s.lowest = address;
    if (address > s.highest) s.highest = address;
    return address;
}

bool any_traps() { return all().highest != 0; }

void put_back_words(void* begin, std::size_t bytes, std::uintptr_t alignment) {
    if (any_traps()) each_word(begin, bytes, alignment, original_of);
}

bool any_traps_for(std::uintptr_t begin, std::size_t bytes) {
    const std::lock_guard lock(all().mutex);
    for (const auto& [address, kept] : all().kept)
        if (kept.word - begin <= bytes) return true;
    return false;
}

void put_back_words_for(std::uintptr_t begin, std::size_t bytes, void* at, std::size_t count) {
    each_word(at, count, reinterpret_cast<std::uintptr_t>(at), [=](std::uintptr_t word) {
        const std::uintptr_t original = original_of(word);
        return original - begin <= bytes ? original : word;
    });
}

wrong_use use_of_copied_block() { return copied; }

wrong_use use_of_trap(std::uintptr_t address) {
    const std::lock_guard lock(all().mutex);
    const auto* const found = nearest(address);
    if (found == nullptr) return passed;
    switch (found->second.meaning) {
        case host_word::function: return function;
        case host_word::virtual_table: return object;
        default: return found->second.way == host_word_way::passed ? passed : copied;
    }
}

void* trap(const void* p) {
    const auto word = reinterpret_cast<std::uintptr_t>(p);
    const image_part part = part_at(word);
    const host_word meaning = part == image_part::function        ? host_word::function
                              : part == image_part::virtual_table ? host_word::virtual_table
                                                                  : host_word::memory;
    trap_for(word, meaning, host_word_way::passed);
    return reinterpret_cast<void*>(trap_of(word));
}

bool is_trap(const void* p) {
    return reinterpret_cast<std::uintptr_t>(p) - all().begin < trap_bytes;
}

}  // namespace cuset_host
