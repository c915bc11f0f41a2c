#ifdef CUSET_HOST_CHECK

#include "checks.h"

#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sys/mman.h>

#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "byte_states.h"
#include "core/findings.h"
#include "cuset_host/device_memory.h"
#include "cuset_host/faults.h"
#include "cuset_host/threads/execution.h"
#include "cuset_host/threads/local_memory.h"
#include "finding_words.h"
#include "launch/block_runner.h"
#include "launch/shared_layout.h"
#include "memory/host_heap.h"
#include "memory/memory_ranges.h"
#include "memory/traps.h"
#include "shared_hazards.h"

namespace cuset_host::checks {

namespace {

byte_states regions[2];
unsigned region_count = 0;

__constinit thread_local shared_watch* shared_of_block = nullptr;

__constinit thread_local unsigned libraries = 0;  // that work in this thread
std::atomic<bool> is_open_to_all{false};

/// Allocations without values that no library can have written to, by their beginning.
struct unseen_allocations {
    std::mutex mutex;
    std::map<std::uintptr_t, std::size_t> bytes;
};
unseen_allocations& fresh() {
    static unseen_allocations& made = *new unseen_allocations;
    return made;
}

byte_states* region_of(std::uintptr_t address) {
    for (unsigned i = 0; i < region_count; ++i)
        if (regions[i].holds(address)) return &regions[i];
    return nullptr;
}

struct access {
    std::uintptr_t address;
    std::size_t bytes;
    bool writes;
    const void* pc;
    int line = 0;                // where it is known
    const char* call = nullptr;  // of a library

    std::string words() const {
        return (call != nullptr ? call : running_thread(line != 0 ? line : line_of(pc))) +
               (writes ? ": writes " : ": reads ") + bytes_text(bytes);
    }
};

std::string name_of(const allocation& a) {
    return "the " + bytes_text(a.bytes) + " of allocation " + std::to_string(a.number);
}

[[noreturn, gnu::cold, gnu::noinline]] void fail_in_region(const access& a, byte_state state,
                                                           std::uintptr_t at) {
    begin_fault(state == byte_state::freed   ? "use_after_free"
                : state == byte_state::unset ? "uninitialised_read"
                                             : "out_of_bounds");
    allocation near;
    const bool known = find_nearest(reinterpret_cast<const void*>(at), near);
    if (state == byte_state::freed)
        fail("use_after_free",
             a.words() + " of " + (known ? name_of(near) : "memory") + ", which has been freed");
    if (state == byte_state::unset)
        fail("uninitialised_read",
             a.words() + " of " + (known ? name_of(near) : "memory") + " that nobody has written");
    fail("out_of_bounds",
         a.words() + ' ' +
             (known ? place_near(at, near.begin, near.bytes, name_of(near)) : "of no allocation"));
}

/// A program can go on with what it has read.
[[gnu::cold, gnu::noinline]] void tell_unset(const access& a, std::uintptr_t at) {
    const auto place =
        a.line != 0 ? static_cast<std::uintptr_t>(a.line) : reinterpret_cast<std::uintptr_t>(a.pc);
    if (!is_new_place("uninitialised_read", 0, place)) return;
    allocation near;
    const bool known = find_nearest(reinterpret_cast<const void*>(at), near);
    tell_fault("uninitialised_read", a.words() + " of " + (known ? name_of(near) : "memory") +
                                         " that nobody has written");
}

[[noreturn, gnu::cold, gnu::noinline]] void fail_elsewhere(const access& a) {
    char name[64] = "";
    void* begin = nullptr;
    std::size_t bytes = 0;
    auto* address = reinterpret_cast<void*>(a.address);
    const std::string kind = __asan_locate_address(address, name, sizeof name, &begin, &bytes);
    const auto first = reinterpret_cast<std::uintptr_t>(begin);
    const bool is_freed = kind == "heap" && a.address >= first && a.address < first + bytes;
    begin_fault(is_freed ? "use_after_free" : "out_of_bounds");
    if (is_freed) fail("use_after_free", a.words() + " of memory that has been freed");
    std::string what = *name != '\0' ? "the variable " + std::string(name) : "a local array";
    if (kind == "heap") what = "the " + bytes_text(bytes) + " of a block on the heap";
    if (begin != nullptr && bytes != 0 && (a.address < first || a.address >= first + bytes))
        fail("out_of_bounds", a.words() + ' ' + place_near(a.address, first, bytes, what));
    fail("out_of_bounds", a.words() + " outside of " + what);
}

inline bool is_poisoned(std::uintptr_t address, std::size_t bytes) {
    return __asan_region_is_poisoned(reinterpret_cast<void*>(address), bytes) != nullptr;
}

/// A device would take the same address of the running thread's own local memory.
[[noreturn, gnu::cold]] void fail_in_local_memory(const access& a) {
    begin_fault("illegal_address");
    fail("illegal_address", a.words() + " of another thread's local memory");
}

/// Most accesses are to memory that the sanitizer knows to be good: its shadow says so in a load.
inline bool is_surely_good(std::uintptr_t address, std::size_t bytes) {
    constexpr std::uintptr_t shadow_offset = 0x7fff8000;
    const auto last = address + bytes - 1;
    return *reinterpret_cast<const signed char*>((address >> 3) + shadow_offset) == 0 &&
           *reinterpret_cast<const signed char*>((last >> 3) + shadow_offset) == 0;
}

inline void look(const access& a) {
    shared_watch* shared = shared_of_block;
    if (shared != nullptr) {
        if (shared->holds(a.address)) {
            shared->look(a.address, a.bytes, a.writes, a.pc);
            return;
        }
        shared->settle();
    }
    byte_states* region = region_of(a.address);
    if (region == nullptr) {
        if (!is_surely_good(a.address, a.bytes) && is_poisoned(a.address, a.bytes))
            fail_elsewhere(a);
        const block_runner* const runner = block_runner::current();
        if (runner == nullptr) return;
        if (!works_for_warp && !has_grid_constants && runner->on_stack_of_another(a.address))
            fail_in_local_memory(a);
        const auto* const address = reinterpret_cast<const void*>(a.address);
        const bool was_copied = is_in_copied_block(a.address) && is_host_address(address);
        if (!was_copied && !is_trap(address)) return;
        begin_fault("illegal_address");
        fail("illegal_address",
             a.words() + (was_copied ? use_of_copied_block() : use_of_trap(a.address)).access);
    }
    const bool is_kernel = block_runner::current() != nullptr;
    const bool is_library = !is_kernel && (libraries != 0 || is_open_to_all);
    if (!is_kernel && !is_library && &regions[0] == region) {
        begin_fault("illegal_address");
        fail("illegal_address", a.words() + " of device memory");
    }
    std::size_t unset = 0, first = 0;
    for (std::size_t i = 0; i < a.bytes; ++i) {
        byte_state& state = region->at(a.address + i);
        if (state == byte_state::set || (is_library && state == byte_state::unset)) continue;
        if (state != byte_state::unset) fail_in_region(a, state, a.address + i);
        if (a.writes) {
            state = byte_state::set;
        } else if (unset++ == 0) {
            first = i;
        }
    }
    const bool is_scalar = a.pc == nullptr;  // an atomic operation
    if (unset == 0 || (!is_scalar && may_be_object(a.bytes, unset))) return;
    tell_unset(a, a.address + first);
    for (std::size_t i = 0; i < a.bytes; ++i) region->at(a.address + i) = byte_state::set;
}

/// Notes unset bytes in what is copied to the host. This is no fault: a program may copy more than
/// it uses.
void note_unset(byte_states& states, std::uintptr_t from, std::size_t bytes) {
    std::size_t unset = 0, first = 0;
    for (std::size_t i = bytes; i-- > 0;)
        if (states.at(from + i) == byte_state::unset) {
            ++unset;
            first = i;
        }
    allocation found;
    if (unset == 0 || !find_nearest(reinterpret_cast<const void*>(from), found)) return;
    note(bytes_text(unset) + " of " + name_of(found) + ", from byte " +
         std::to_string(from + first - found.begin) +
         " on, are copied to the host and nobody has "
         "written them");
}

/// The failure that AddressSanitizer's words for an error of host code mean.
const char* report_kind(std::string_view what) {
    const auto has = [&](std::string_view word) { return what.find(word) != what.npos; };
    if (has("overflow") && !has("stack-overflow")) return "out_of_bounds";
    return has("use-after") || has("free") ? "use_after_free" : "crash";
}

/// Its report, when it has been printed: "==2==ERROR: AddressSanitizer: heap-buffer-overflow on
/// address …", then the places, of which the note has the first in the program.
void on_report(const char* report) {
    constexpr std::string_view begin = "ERROR: AddressSanitizer: ", place = "program.cu:";
    std::string_view message = report;
    const std::size_t at = message.find(begin);
    if (at == message.npos) return;
    message.remove_prefix(at + begin.size());
    std::string_view what = message.substr(0, message.find_first_of(" :\n"));
    if (what == "attempting") what = message.substr(0, message.find(" on "));
    std::string text = "host code";
    if (const std::size_t line = message.find(place); line != message.npos) {
        const std::string_view number = message.substr(line + place.size());
        text += ", line " + std::string(number.substr(0, number.find_first_not_of("0123456789")));
    }
    fail(report_kind(what), text + ": " + std::string(what));
}

void note_unfreed() {
    std::size_t bytes = 0;
    const std::size_t count = unfreed(bytes);
    if (count != 0)
        note(std::to_string(count) + (count == 1 ? " allocation" : " allocations") + " of " +
             bytes_text(bytes) + " never freed");
}

}  // namespace

void watch_region(std::uintptr_t base, std::size_t bytes) {
    regions[region_count++].watch(base, bytes);
    if (region_count != 1) return;
    std::atexit(note_unfreed);
    __asan_set_error_report_callback(on_report);
}

void allocated(std::uintptr_t begin, std::size_t bytes, bool has_values) {
    const bool is_set = has_values || is_open_to_all;
    region_of(begin)->fill(begin, bytes, is_set ? byte_state::set : byte_state::unset);
    if (is_set) return;
    const std::lock_guard lock(fresh().mutex);
    fresh().bytes[begin] = bytes;
}

static void count_as_set() {
    const std::lock_guard lock(fresh().mutex);
    for (const auto& [begin, bytes] : fresh().bytes)
        region_of(begin)->fill(begin, bytes, byte_state::set);
    fresh().bytes.clear();
}
void begin_library() { ++libraries; }
void end_library() {
    --libraries;
    count_as_set();
}
void open_to_all() {
    is_open_to_all = true;
    count_as_set();
}

void freed(std::uintptr_t begin, std::size_t bytes) {
    {
        const std::lock_guard lock(fresh().mutex);
        fresh().bytes.erase(begin);
    }
    region_of(begin)->fill(begin, bytes, byte_state::freed);
}

void written(const void* begin, std::size_t bytes) {
    const auto at = reinterpret_cast<std::uintptr_t>(begin);
    if (byte_states* region = region_of(at)) region->fill(at, bytes, byte_state::set);
}

void copied(const void* to, const void* from, std::size_t bytes) {
    const auto t = reinterpret_cast<std::uintptr_t>(to), f = reinterpret_cast<std::uintptr_t>(from);
    byte_states *target = region_of(t), *source = region_of(f);
    if (target == nullptr && source != nullptr) note_unset(*source, f, bytes);
    if (target != nullptr && source != nullptr) {
        std::memmove(&target->at(t), &source->at(f), bytes);
    } else {
        written(to, bytes);
    }
}

void library_touches(const char* call, touch how, const void* p, std::size_t bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(p);
    byte_states* region = region_of(address);
    if (region == nullptr) return;
    for (std::size_t i = 0; i < bytes; ++i) {
        byte_state& state = region->at(address + i);
        const bool is_there = state == byte_state::set || state == byte_state::unset;
        if (!is_there || (how == touch::read && state == byte_state::unset))
            fail_in_region({address, bytes, how == touch::write, nullptr, 0, call}, state,
                           address + i);
        if (how == touch::write) state = byte_state::set;
    }
}

void begin_block(shared_watch& watch, unsigned char* base, unsigned char* dynamic,
                 std::size_t dynamic_bytes) {
    watch.begin_block(base, dynamic, dynamic_bytes);
}
void others_write(shared_watch& watch) { watch.take_for_set(); }
void enter_block(shared_watch& watch) { shared_of_block = &watch; }
void leave_block() { shared_of_block = nullptr; }
void copy_begins(const void* to, std::size_t bytes, const void* pc) {
    look({reinterpret_cast<std::uintptr_t>(to), bytes, true, pc});
}
void copy_is_awaited(const void* to, std::size_t bytes) {
    const auto at = reinterpret_cast<std::uintptr_t>(to);
    if (shared_of_block->holds(at)) shared_of_block->set_states(at, bytes, byte_state::awaited);
}
void copy_lands(const void* to, std::size_t bytes) {
    const auto at = reinterpret_cast<std::uintptr_t>(to);
    if (shared_of_block->holds(at)) shared_of_block->set_states(at, bytes, byte_state::set);
}
void block_met() { shared_of_block->block_met(); }
void warp_met(unsigned warp) { shared_of_block->warp_met(warp); }
void lanes_ordered(unsigned warp) { shared_of_block->lanes_ordered(warp); }
void leave_thread() { shared_of_block->leave_thread(); }

}  // namespace cuset_host::checks

namespace cuset_host {

void threads_met(const void* at, bool has_waited) {
    if (checks::shared_of_block == nullptr) return;
    // Threads of other blocks may have completed what lies in device memory.
    if (has_waited && checks::region_of(reinterpret_cast<std::uintptr_t>(at)) == nullptr) return;
    checks::block_met();
}

using checks::access;

__constinit thread_local bool works_for_warp = false, has_grid_constants = false;

void note_atomic(const volatile void* address, unsigned bytes, int line) {
    let_others_first();
    const bool writes = (line & only_loads) == 0;
    line &= ~(block_scope | only_loads);
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    checks::shared_watch* shared = checks::shared_of_block;
    if (shared != nullptr && shared->holds(at)) {
        shared->look_atomic(at, bytes, writes, line, nullptr);
    } else {
        checks::look({at, bytes, false, nullptr, line});
    }
}

void note_library_atomic(const volatile void* address, unsigned bytes, bool writes, int order) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    checks::shared_watch* shared = checks::shared_of_block;
    if (shared == nullptr || !shared->holds(at)) return;
    if (order != __ATOMIC_RELAXED && order != __ATOMIC_CONSUME && order != __ATOMIC_ACQUIRE)
        shared->note_fence();
    shared->look_atomic(at, bytes, writes, 0, __builtin_return_address(0));
}

void note_fence(bool) {
    if (checks::shared_of_block != nullptr) checks::shared_of_block->note_fence();
}

}  // namespace cuset_host

// --- What the compiler calls
// -------------------------------------------------------------------------

#define CUSET_HOST_ACCESS(bytes)                                                           \
    extern "C" void __asan_load##bytes(void* address) {                                    \
        cuset_host::checks::look({reinterpret_cast<std::uintptr_t>(address), bytes, false, \
                                  __builtin_return_address(0)});                           \
    }                                                                                      \
    extern "C" void __asan_store##bytes(void* address) {                                   \
        cuset_host::checks::look({reinterpret_cast<std::uintptr_t>(address), bytes, true,  \
                                  __builtin_return_address(0)});                           \
    }
CUSET_HOST_ACCESS(1)
CUSET_HOST_ACCESS(2)
CUSET_HOST_ACCESS(4)
CUSET_HOST_ACCESS(8)
CUSET_HOST_ACCESS(16)

extern "C" void __asan_loadN(std::uintptr_t address, std::size_t bytes) {
    cuset_host::checks::look({address, bytes, false, __builtin_return_address(0)});
}
extern "C" void __asan_storeN(std::uintptr_t address, std::size_t bytes) {
    cuset_host::checks::look({address, bytes, true, __builtin_return_address(0)});
}

static void look_at_bytes(const void* at, std::size_t bytes, bool writes, const void* pc) {
    if (bytes != 0)
        cuset_host::checks::look({reinterpret_cast<std::uintptr_t>(at), bytes, writes, pc});
}
/// The copy's bytes are as set as the original's.
static void look_at_copy(void* to, const void* from, std::size_t bytes, const void* pc) {
    look_at_bytes(from, bytes, false, pc);
    look_at_bytes(to, bytes, true, pc);
    const auto t = reinterpret_cast<std::uintptr_t>(to), f = reinterpret_cast<std::uintptr_t>(from);
    cuset_host::checks::byte_states* const target = cuset_host::checks::region_of(t);
    cuset_host::checks::byte_states* const source = cuset_host::checks::region_of(f);
    if (bytes != 0 && target != nullptr && source != nullptr)
        std::memmove(&target->at(t), &source->at(f), bytes);
}

// A program's calls of memset, memcpy and memmove come here: see checked_copies.h.
extern "C" void* cuset_host_memset(void* to, int value, std::size_t bytes) {
    look_at_bytes(to, bytes, true, __builtin_return_address(0));
    return std::memset(to, value, bytes);
}
extern "C" void* cuset_host_memcpy(void* to, const void* from, std::size_t bytes) {
    look_at_copy(to, from, bytes, __builtin_return_address(0));
    return std::memcpy(to, from, bytes);
}
extern "C" void* cuset_host_memmove(void* to, const void* from, std::size_t bytes) {
    look_at_copy(to, from, bytes, __builtin_return_address(0));
    return std::memmove(to, from, bytes);
}

/// Before it prints its report.
extern "C" void __asan_on_error() {
    cuset_host::begin_fault(cuset_host::checks::report_kind(__asan_get_report_description()));
}

/// The sanitizer's own ends are the runtime's: signals, and memory that the host never frees.
extern "C" const char* __asan_default_options() {
    return "detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:use_sigaltstack=0:"
           "allocator_may_return_null=1:detect_stack_use_after_return=0:exitcode=97";
}

#endif
