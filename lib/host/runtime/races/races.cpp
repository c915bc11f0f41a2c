#ifdef CUSET_HOST_RACES

#include "races.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "access_history.h"
#include "accesses.h"
#include "core/settings.h"
#include "cuset_host/faults.h"
#include "cuset_host/threads/execution.h"
#include "launch/block_runner.h"
#include "race_words.h"
#include "stream_order.h"
#include "suspicions.h"

extern "C" char __data_start[], _end[];

namespace cuset_host::races {

__constinit thread_local block_clock* current = nullptr;
__constinit history_region* regions[3] = {};
bool looks_at_shared_reads = false;

namespace {

// --- What is known -------------------------------------------------------------------------------

/// Blocks of cooperative launches run on several OS threads; those of others on one.
bool are_several = false;

class lock {
public:
    lock() {
        if (!are_several) return;
        while (is_taken.test_and_set(std::memory_order_acquire)) {
        }
    }
    ~lock() {
        if (are_several) is_taken.clear(std::memory_order_release);
    }
    lock(const lock&) = delete;
    lock& operator=(const lock&) = delete;

private:
    static std::atomic_flag is_taken;
};
std::atomic_flag lock::is_taken;

/// What strong writes have released, by their addresses, in the launch that runs.
std::unordered_map<std::uintptr_t, known> released;

/// An access of this OS thread that is not over yet: the compiler calls before it.
struct begun_access {
    std::uintptr_t address = 0;
    std::size_t bytes = 0;  // 0: none
    bool is_write = false;  // a plain one; else strong, and it may see what was released meanwhile
    history_region* region = nullptr;
    segment_number segment = 0;
    std::uint32_t place = 0;
    unsigned char before[16] = {};
    access_mark other{};  // that nothing orders before it
    bool other_wrote = false, other_is_plain = false;
    uint3 thread{};
};
__constinit thread_local begun_access begun;

history_region* region_of(std::uintptr_t address) {
    if (block_clock* const holder = current->holder_of(address)) return holder->shared_histories();
    for (history_region* const r : regions)
        if (r->holds(address)) return r;
    return nullptr;
}

bool is_shared(const history_region& region) {
    return std::find(std::begin(regions), std::end(regions), &region) == std::end(regions);
}

/// Whether the running thread's access comes after that one.
bool is_ordered(const access_mark& before, const history_region* where) {
    if (before.segment == 0) return true;
    // Another block's shared memory may have lain there before.
    const bool is_in_block = is_shared(*where);
    if (is_past(before.segment))
        return is_in_block || before.segment < surely_before_task() || !has_order() ||
               beside_task(before.segment) == nullptr;
    if (is_in_block && !current->is_of_cluster(before.segment)) return true;
    return current->is_ordered(before.segment);
}

/// Whether it is of other work that nothing orders before the running kernel. Within one launch a
/// plain read of what others update by atomics is left alone: many a program reads a value so that
/// may be old, and then asks again by an atomic.
bool is_beside(const access_mark& before, const history_region& where) {
    return is_past(before.segment) && !is_ordered(before, &where);
}

// --- Accesses ------------------------------------------------------------------------------------

/// Whether the writer of that mark, in the launch that runs, had fenced: its plain store counts as
/// a strong one, through which the running thread learns.
bool learns_from(const access_mark& write) {
    return !is_past(write.segment) && current->acquire_from(write.segment);
}

void see_released(std::uintptr_t address) {
    const auto found = released.find(address);
    if (found != released.end()) current->acquire(found->second);
}

/// What was begun is over. To be called before anything else happens in this OS thread.
void settle() {
    if (begun.bytes == 0) return;
    const begun_access a = begun;
    begun.bytes = 0;
    if (!a.is_write) return see_released(a.address);
    const bool changed =
        a.bytes > sizeof a.before ||
        std::memcmp(a.before, reinterpret_cast<const void*>(a.address), a.bytes) != 0;
    look_at_suspicions(a.address, a.bytes, changed);
    // A write that changes nothing is no hazard with other writes, for many threads may set the
    // same flag; with a read it may be one, since the value may be the same by the data alone.
    const bool is_hazard = changed || (a.other_is_plain && !a.other_wrote &&
                                       (looks_at_shared_reads || !is_shared(*a.region)));
    if (a.other.segment != 0 && is_hazard) {
        const uint3 now = threadIdx;
        threadIdx = a.thread;
        if (a.other_wrote)
            tell_race(a.other.place, a.place, [&] {
                return race_text(a.address, a.bytes, a.other, true, a.place, "writes");
            });
        else
            suspect(a.address, a.bytes, a.other, false, a.place, !changed);
        threadIdx = now;
    } else if (a.other.segment != 0 && a.other_wrote && !has_same_write()) {
        const uint3 now = threadIdx;
        threadIdx = a.thread;
        keep_same_write(race_text(a.address, a.bytes, a.other, true, a.place, "writes"));
        threadIdx = now;
    }
    // So may a later read by another thread.
    const bool may_be_by_chance = looks_at_shared_reads && !a.other_wrote && is_shared(*a.region);
    if (!changed && !may_be_by_chance) return;
    a.region->each(a.address, a.bytes, [&](access_history& h, std::uintptr_t) {
        h.write = {a.segment, a.place};
        h.read = h.later_read = {};
    });
}

/// Reads of the block's own shared memory: see looks_at_shared_reads.
bool is_left(const history_region& region) {
    return &region == current->shared_histories() && !looks_at_shared_reads;
}

void read_plainly(const access& a, history_region& region) {
    if (is_left(region)) return;
    const access_mark mark{current->now(), place_of(a)};
    region.each(a.address, a.bytes, [&](access_history& h, std::uintptr_t at) {
        if (h.read.segment == mark.segment || h.later_read.segment == mark.segment) return;
        if (!is_ordered(h.write, &region))
            suspect(at, std::min<std::size_t>(a.bytes, 4), h.write, true, mark.place);
        else if ((h.strong.place & writes_bit) != 0 && is_beside(h.strong, region))
            suspect(at, std::min<std::size_t>(a.bytes, 4), h.strong, true, mark.place);
        (is_ordered(h.read, &region) ? h.read : h.later_read) = mark;
    });
}

/// Two strong accesses of different blocks, of which one is atomic for its own block alone and one
/// writes, are as plain ones.
void look_at_scopes(const access_mark& before, const access_mark& now, std::uintptr_t address,
                    std::size_t bytes, const history_region& region) {
    if (((before.place | now.place) & block_bit) == 0 || is_past(before.segment) ||
        ((before.place | now.place) & writes_bit) == 0 || is_ordered(before, &region) ||
        segment_of(before.segment).block == current->record())
        return;
    tell_race(before.place, now.place, [&] {
        return race_text(address, bytes, before, (before.place & writes_bit) != 0, now.place,
                         (now.place & writes_bit) != 0 ? "updates" : "reads") +
               ", for one of them is atomic for its own block alone";
    });
}

void write_strongly(const access& a, history_region& region) {
    const access_mark mark{current->now(), place_of(a) | writes_bit};
    region.each(a.address, a.bytes, [&](access_history& h, std::uintptr_t at) {
        if (!is_ordered(h.write, &region) && !learns_from(h.write))
            tell_race(h.write.place, mark.place, [&] {
                return race_text(at, a.bytes, h.write, true, mark.place,
                                 a.pc == nullptr ? "updates" : "writes");
            });
        look_at_scopes(h.strong, mark, at, a.bytes, region);
        for (const access_mark& read : {h.read, h.later_read})
            if (is_beside(read, region))
                suspect(at, std::min<std::size_t>(a.bytes, 4), read, false, mark.place);
        h.strong = mark;
    });
    see_released(a.address);
    if (known made = current->release()) {
        known& there = released[a.address];
        if (there != nullptr) {
            auto both = std::make_shared<knowledge>(*made);
            both->learn(*there);
            made = std::move(both);
        }
        there = std::move(made);
    }
    begun.address = a.address;
    begun.bytes = a.bytes;
    begun.is_write = false;
}

void read_strongly(const access& a, history_region& region) {
    const access_mark mark{current->now(), place_of(a)};
    see_released(a.address);
    region.each(a.address, a.bytes, [&](access_history& h, std::uintptr_t at) {
        if (!is_ordered(h.write, &region) && !learns_from(h.write) && !is_left(region))
            suspect(at, std::min<std::size_t>(a.bytes, 4), h.write, true, mark.place);
        look_at_scopes(h.strong, mark, at, a.bytes, region);
        if ((h.strong.place & writes_bit) == 0 || is_ordered(h.strong, &region)) h.strong = mark;
    });
    begun.address = a.address;
    begun.bytes = a.bytes;
    begun.is_write = false;
}

void write_plainly(const access& a, history_region& region) {
    begun_access made;
    made.address = a.address;
    made.bytes = a.bytes;
    made.is_write = true;
    made.region = &region;
    made.segment = current->now();
    made.place = place_of(a);
    made.thread = threadIdx;
    bool is_release = false;
    region.each(a.address, a.bytes, [&](access_history& h, std::uintptr_t) {
        if (made.other.segment != 0 || h.write.segment == made.segment) return;
        made.other_is_plain = true;
        if (!is_ordered(h.write, &region)) {
            made.other = h.write;
            made.other_wrote = true;
        } else if (!is_ordered(h.strong, &region)) {
            // A lock that is freed by a plain store, behind a fence.
            is_release = current->has_fenced();
            if (is_release) return;
            made.other = h.strong;
            made.other_is_plain = false;
            made.other_wrote = (h.strong.place & writes_bit) != 0;
        } else if (!is_ordered(h.read, &region)) {
            made.other = h.read;
        } else if (!is_ordered(h.later_read, &region)) {
            made.other = h.later_read;
        }
    });
    if (is_release) return write_strongly(a, region);
    if (a.bytes <= sizeof made.before)
        std::memcpy(made.before, reinterpret_cast<const void*>(a.address), a.bytes);
    begun = made;
}

/// A copy or fill of another stream that meets the running kernel's access.
[[gnu::cold]] void look_at_ranges(const access& a) {
    if (a.is_strong && !a.writes) return;
    const touched_range* const r = range_beside_task(a.address, a.bytes, a.writes);
    if (r == nullptr) return;
    tell_race(0, place_of(a), [&] {
        return running_thread(line_of_place(place_of(a))) + ": " +
               (a.writes ? "writes " : "reads ") + place_text(a.address, a.bytes) + ", which " +
               task_text(r->name) + (r->is_written ? " writes" : " reads") + disorder_text(r->name);
    });
}

}  // namespace

__constinit thread_local plain_access last_access = {0, nullptr};

int line_of_access_outside(std::uintptr_t address) {
    constexpr std::size_t most_bytes = 16;  // of one access
    return address - last_access.address < most_bytes
               ? line_of_code(reinterpret_cast<std::uintptr_t>(last_access.pc))
               : 0;
}

void look(const access& a) {
    if (current == nullptr) {
        const history_region* const shared = regions[shared_with_host];
        if (shared != nullptr && shared->holds(a.address) && has_order()) look_at_host(a);
        return;
    }
    history_region* const region = region_of(a.address);
    if (region == nullptr) return;
    if (a.pc != nullptr) last_access = {a.address, a.pc};  // there may be no memory
    const lock alone;
    settle();
    if (current->is_in_cluster() && !current->is_shared(a.address)) look_at_visit(a);
    if (has_ranges_beside_task() && has_order()) look_at_ranges(a);
    if (a.is_strong) {
        (a.writes ? write_strongly : read_strongly)(a, *region);
    } else {
        (a.writes ? write_plainly : read_plainly)(a, *region);
    }
}

void writes(const void* to, std::size_t bytes, const void* pc) {
    look({reinterpret_cast<std::uintptr_t>(to), bytes, true, false, pc});
}

void look_at_fence(fence_scope scope) {
    if (current == nullptr) return;
    const lock alone;
    settle();
    current->fence(scope);
}

void watch_region(std::uintptr_t base, std::size_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(__data_start);
    looks_at_shared_reads = settings().searches_all;
    // The histories are needed until the last destructor of the program's variables.
    if (regions[variables] == nullptr)
        regions[variables] =
            new history_region(begin, reinterpret_cast<std::uintptr_t>(_end) - begin);
    regions[regions[device] == nullptr ? device : shared_with_host] =
        new history_region(base, bytes);
}

void allocated(const void* begin, std::size_t bytes) {
    if (settings().searches_all) return;
    const auto at = reinterpret_cast<std::uintptr_t>(begin);
    const lock alone;
    for (auto& r : regions)
        if (r != nullptr && r->holds(at)) r->choose_pages(at, bytes);
}

void forget(const void* begin, std::size_t bytes) {
    const auto at = reinterpret_cast<std::uintptr_t>(begin);
    const lock alone;
    forget_ranges(at, bytes);
    for (auto& r : regions)
        if (r->holds(at)) r->forget(at, bytes);
}

void begin_launch(cudaStream_t stream, const char* kernel, bool is_on_several_threads,
                  bool overlaps) {
    are_several = is_on_several_threads;
    if (has_order()) {
        const std::string name = std::string("kernel ") + kernel;
        if (is_in_stream_work)
            name_task(name);
        else
            begin_kernel(stream, name, overlaps);
    }
    begin_order();
    released.clear();
    forget_suspicions();
}

void end_launch() {
    judge_suspicions();
    if (has_order()) end_task(first_of_launch(), last_of_launch());
}

void begin_block(block_clock& block, std::uint64_t number, std::uint64_t cluster,
                 const unsigned char* shared, std::size_t shared_bytes) {
    const lock alone;
    block.begin(add_block(number, cluster), shared, shared_bytes);
}
void join(block_clock& block, block_clock& other) { block.join(other); }
void end_block() {
    const lock alone;
    settle();
    const uint3 thread = threadIdx, block = blockIdx;
    for (const visit& v : current->end()) {
        const segment& visitor = segment_of(v.segment);
        threadIdx = place_in(visitor.thread, blockDim);
        blockIdx = place_in(block_of(visitor).number, gridDim);
        tell_visit(v, *current, ", which may have ended: no cluster.sync() comes behind");
    }
    threadIdx = thread;
    blockIdx = block;
}
void enter_block(block_clock& block) { current = &block; }
void leave_block() {
    leave_thread();
    current = nullptr;
}
void leave_thread() {
    if (begun.bytes == 0) return;
    const lock alone;
    settle();
}
void block_met() {
    const lock alone;
    current->block_met();
}
void cluster_met() {
    const lock alone;
    current->cluster_met();
}
void grid_met() {
    const lock alone;
    current->grid_met();
}
void lanes_met(unsigned warp, unsigned lanes, unsigned all) {
    const lock alone;
    current->lanes_met(warp, lanes, all);
}

}  // namespace cuset_host::races

namespace cuset_host {

void note_atomic(const volatile void* address, unsigned bytes, int line) {
    races::look({reinterpret_cast<std::uintptr_t>(address), bytes, (line & only_loads) == 0, true,
                 nullptr, line & ~(block_scope | only_loads), (line & block_scope) != 0});
}
void note_fence(bool of_block) {
    races::look_at_fence(of_block ? races::fence_scope::block : races::fence_scope::device);
}
void threads_met(const void* at, bool) {
    // Within a block all are taken to have met. Of several blocks, each has released before.
    if (races::current == nullptr) return;
    const auto place = reinterpret_cast<std::uintptr_t>(at);
    if (races::block_clock* const holder = races::current->holder_of(place)) {
        races::leave_thread();
        const races::lock alone;
        holder->barrier_met();
        return;
    }
    // The block's barriers of PTX lie in no memory of the device.
    if (races::region_of(place) == nullptr) {
        races::leave_thread();
        races::block_met();
        return;
    }
    races::look_at_fence(races::fence_scope::device);
    races::look({place, 1, true, true, nullptr, 0});
}

void launch_dependents() {
    if (races::current != nullptr && races::has_order()) races::let_next_kernel_begin();
}
void wait_for_grids() {
    if (races::current == nullptr || !races::has_order()) return;
    const races::lock alone;
    races::settle();
    races::wait_for_kernel_before();
}
void arrives_at(const void* at) {
    if (races::current == nullptr || !races::current->is_in_cluster()) return;
    races::block_clock* const holder =
        races::current->holder_of(reinterpret_cast<std::uintptr_t>(at));
    if (holder != nullptr && holder != races::current) holder->take_guest();
}

}  // namespace cuset_host

#endif
