#include "device_words.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "core/system_calls.h"
#include "cuset_host/device_memory.h"
#include "program_image.h"
#include "traps.h"
#include "word_search.h"

// Variables of __managed__.
extern "C" {
extern char __start_cuset_managed[] __attribute__((weak));
extern char __stop_cuset_managed[] __attribute__((weak));
}

namespace cuset_host {

namespace {

/// What kernels may have left is looked for after each in small memory, of which so much; in other
/// memory when it ends, or when a word is asked for. Beyond these sizes nothing is known.
constexpr std::size_t small = 4096, most_small = 64, most_at_end = std::size_t{1} << 20,
                      most_when_asked = std::size_t{64} << 20;
/// If kernels may have left words that stand for the host's in more memory, they stay there.
constexpr std::size_t most_put_back = std::size_t{1} << 20;
constexpr unsigned most_searches = 64;
constexpr std::size_t most_words = std::size_t{1} << 16;

struct shared_range {
    std::size_t bytes = 0;
    bool is_registered = false;
};

struct state {
    std::mutex mutex;
    std::set<std::uintptr_t> words;
    std::set<std::uintptr_t> not_found;             // since the last kernel
    std::map<std::uintptr_t, shared_range> shared;  // by its beginning
    std::vector<std::uintptr_t> small_ones;
    std::size_t bytes = 0;  // of all shared
    unsigned searches = 0;

    state() {
        const auto begin = reinterpret_cast<std::uintptr_t>(__start_cuset_managed);
        const auto end = reinterpret_cast<std::uintptr_t>(__stop_cuset_managed);
        if (begin != end) add(begin, {end - begin, false});
    }
    void add(std::uintptr_t begin, const shared_range& range) {
        shared[begin] = range;
        bytes += range.bytes;
        if (range.bytes <= small && !range.is_registered && small_ones.size() < most_small)
            small_ones.push_back(begin);
    }
    void keep(const std::vector<std::uintptr_t>& found) {
        for (const std::uintptr_t word : found)
            if (words.size() < most_words) words.insert(word);
    }
};

state& all() {
    static state& made = *new state;
    return made;
}

bool is_mapped(std::uintptr_t begin, std::size_t bytes) {
    constexpr std::uintptr_t page = 4096;
    const std::uintptr_t first = begin / page * page;
    std::vector<unsigned char> pages((begin + bytes - first + page - 1) / page);
    return system_call(SYS_mincore, static_cast<long>(first),
                       static_cast<long>(begin + bytes - first),
                       reinterpret_cast<long>(pages.data())) == 0;
}

std::vector<std::uintptr_t> words_in(const void* begin, std::size_t bytes,
                                     std::uintptr_t alignment) {
    std::vector<std::uintptr_t> found;
    const image_bounds& image = program_image();
    each_word_in(begin, bytes, alignment, image.begin, image.end - image.begin,
                 [&](std::size_t, std::uintptr_t word) {
                     if (found.size() < most_words) found.push_back(word);
                 });
    return found;
}

std::vector<std::uintptr_t> words_in(std::uintptr_t begin, const shared_range& range) {
    if (range.is_registered && !is_mapped(begin, range.bytes)) return {};
    return words_in(reinterpret_cast<const void*>(begin), range.bytes, begin);
}

}  // namespace

void note_device_words(const void* begin, std::size_t bytes, std::uintptr_t alignment) {
    const std::vector<std::uintptr_t> found = words_in(begin, bytes, alignment);
    if (found.empty()) return;
    const std::lock_guard lock(all().mutex);
    all().keep(found);
}

void shared_words_begin(std::uintptr_t begin, std::size_t bytes, bool is_registered) {
    const std::lock_guard lock(all().mutex);
    all().add(begin, {bytes, is_registered});
}

void shared_words_end(std::uintptr_t begin) {
    state& s = all();
    const std::lock_guard lock(s.mutex);
    const auto found = s.shared.find(begin);
    if (found == s.shared.end()) return;
    if (found->second.bytes <= most_at_end) s.keep(words_in(begin, found->second));
    s.bytes -= found->second.bytes;
    s.shared.erase(found);
    s.small_ones.erase(std::remove(s.small_ones.begin(), s.small_ones.end(), begin),
                       s.small_ones.end());
}

void note_shared_words() {
    state& s = all();
    const std::lock_guard lock(s.mutex);
    s.not_found.clear();
    if (any_traps() && s.bytes <= most_put_back)
        for (const auto& [begin, range] : s.shared)
            if (!range.is_registered)
                put_back_words(reinterpret_cast<void*>(begin), range.bytes, begin);
    for (const std::uintptr_t begin : s.small_ones) s.keep(words_in(begin, s.shared[begin]));
}

bool has_come_from_device(std::uintptr_t word) {
    const std::lock_guard lock(all().mutex);
    return all().words.size() >= most_words || all().words.count(word) != 0;
}

bool came_from_device(std::uintptr_t word) {
    state& s = all();
    const std::lock_guard lock(s.mutex);
    if (is_open_to_host() || s.words.size() >= most_words || s.words.count(word) != 0) return true;
    if (s.not_found.count(word) != 0) return false;
    if (s.bytes > most_when_asked || ++s.searches > most_searches) return true;
    for (const auto& [begin, range] : s.shared) s.keep(words_in(begin, range));
    if (s.words.count(word) != 0) return true;
    s.not_found.insert(word);
    return false;
}

}  // namespace cuset_host
