#include "host_words.h"

#include <pthread.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "checks/checks.h"
#include "cuset_host/device_memory.h"
#include "cuset_host/threads/execution.h"
#include "device_words.h"
#include "host_heap.h"
#include "memory_ranges.h"
#include "program_image.h"
#include "traps.h"
#include "word_search.h"

namespace cuset_host {

namespace {

constexpr std::size_t small_copy = 1024;

/// The stack of the program's first thread.
struct stack_bounds {
    std::uintptr_t begin = 0, end = 0;
    stack_bounds() {
        pthread_attr_t about;
        if (::pthread_getattr_np(::pthread_self(), &about) != 0) return;
        void* first = nullptr;
        std::size_t bytes = 0;
        ::pthread_attr_getstack(&about, &first, &bytes);
        begin = reinterpret_cast<std::uintptr_t>(first);
        end = begin + bytes;
        ::pthread_attr_destroy(&about);
    }
};
stack_bounds first_stack;

/// Before other threads can run.
__attribute__((constructor(102))) void find_stack() { first_stack = stack_bounds(); }

/// Of the first thread's frames; what lies beyond them counts too if another thread asks.
bool is_on_stack(std::uintptr_t p) {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    return p >= first_stack.begin && p < first_stack.end &&
           (here < first_stack.begin || here >= first_stack.end || p > here);
}

void* pointer(std::uintptr_t word) { return reinterpret_cast<void*>(word); }
std::uintptr_t number_of(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

/// What a word is of the program's own file, if host code can have it from nowhere else.
host_word meaning_in_image(std::uintptr_t word) {
    const image_part part = part_at(word);
    if (part == image_part::none || part == image_part::code) return host_word::none;
    if (is_in_kernel()) return host_word::none;  // which takes addresses as a device does
    if (part == image_part::variable)
        return is_host_address(pointer(word)) ? host_word::memory : host_word::none;
    if (came_from_device(word)) return host_word::none;
    return part == image_part::function ? host_word::function : host_word::virtual_table;
}

/// Whether the word may be two small integers. A heap is large, and so may hold what such integers
/// look like; it seldom grows so far as to lie there.
bool may_be_numbers(std::uintptr_t word) {
    const auto low = static_cast<std::int32_t>(word);
    return low > -small_number && low < small_number;
}

host_word meaning_in_small_copy(std::uintptr_t word) {
    if (program_image().hold(word)) return meaning_in_image(word);
    const bool is_hosts =
        is_on_stack(word) || (is_on_host_heap(word) && (checks::are_on || !may_be_numbers(word)));
    return is_hosts && is_host_address(pointer(word)) ? host_word::memory : host_word::none;
}

host_word meaning_in_large_copy(std::uintptr_t word, host_blocks& blocks) {
    if (program_image().hold(word)) {
        const image_part part = part_at(word);
        const bool is_exact = part == image_part::function || part == image_part::virtual_table;
        return is_exact ? meaning_in_image(word) : host_word::none;
    }
    return blocks.begin_at(word) && is_host_address(pointer(word)) ? host_word::memory
                                                                   : host_word::none;
}

void trap_copied_words(void* to, std::size_t bytes, bool is_small) {
    const auto replace = [to](std::size_t at, std::uintptr_t word, host_word meaning) {
        if (meaning == host_word::none || keep_copied_block(word)) return;
        const std::uintptr_t other = trap_for(word, meaning, host_word_way::copied);
        std::memcpy(static_cast<unsigned char*>(to) + at, &other, sizeof other);
    };
    if (is_small) {
        each_word_in(to, bytes, number_of(to), 1, ~std::uintptr_t{0} - 1,
                     [&](std::size_t at, std::uintptr_t word) {
                         replace(at, word, meaning_in_small_copy(word));
                     });
        return;
    }
    const image_bounds& image = program_image();
    const heap_bounds heap = host_heap();
    host_blocks blocks;
    const std::uintptr_t low = std::min(image.begin, heap.begin),
                         high = std::max(image.end, heap.end);
    each_word_in(to, bytes, number_of(to), low, high - low,
                 [&](std::size_t at, std::uintptr_t word) {
                     replace(at, word, meaning_in_large_copy(word, blocks));
                 });
    if (!blocks.any_found()) return;
    // A kernel may compute with addresses that it does not use, such as the length of a range.
    each_word_in(to, bytes, number_of(to), heap.begin, heap.end - heap.begin,
                 [&](std::size_t at, std::uintptr_t word) {
                     if (blocks.is_in_found(word)) replace(at, word, host_word::memory);
                 });
}

bool is_devices(memory_kind kind) {
    return kind != memory_kind::host && kind != memory_kind::pinned && kind != memory_kind::managed;
}

}  // namespace

void look_at_copied_words(void* to, const void* from, std::size_t bytes, std::size_t whole) {
    if (is_open_to_host() || bytes < sizeof(void*)) return;
    const bool to_device = is_devices(kind_of(to)), from_device = is_devices(kind_of(from));
    if (to_device && !from_device) {
        trap_copied_words(to, bytes, whole <= small_copy);
    } else if (!to_device && from_device) {
        note_device_words(to, bytes, number_of(from));
        put_back_words(to, bytes, number_of(from));
    }
}

void host_memory_is_shared(const void* begin, std::size_t bytes) {
    if (!any_traps() || !any_traps_for(number_of(begin), bytes)) return;
    const device_access open;
    for (const byte_range& range : memory_of_device())
        put_back_words_for(number_of(begin), bytes, pointer(range.begin), range.bytes);
}

bool is_host_address(const void* p) {
    if (p == nullptr || is_trap(p)) return false;
    // The end of what a device may touch is an address that it may have.
    for (const void* const each : {p, static_cast<const void*>(pointer(number_of(p) - 1))})
        if (kind_of(each) != memory_kind::host || is_device_variable(each)) return false;
    return !program_image().hold(number_of(p)) ||
           !(is_in_kernel() || has_come_from_device(number_of(p)));
}

void* trap_if_host(const void* p) { return is_host_address(p) ? trap(p) : const_cast<void*>(p); }

void* trap_function(const void* function) {
    const std::uintptr_t word = number_of(function);
    const bool is_hosts =
        part_at(word) == image_part::function && !is_in_kernel() && !came_from_device(word);
    return is_hosts ? trap(function) : const_cast<void*>(function);
}

void* trap_if_surely_host(const void* p) {
    const std::uintptr_t word = number_of(p);
    if (program_image().hold(word))
        return meaning_in_image(word) != host_word::none ? trap(p) : const_cast<void*>(p);
    return is_on_stack(word) || is_on_host_heap(word) ? trap_if_host(p) : const_cast<void*>(p);
}

}  // namespace cuset_host
