// What the host does beside its kernels: its own accesses, copies, and waits.
#ifdef CUSET_HOST_RACES

#include <algorithm>
#include <iterator>
#include <string>

#include "accesses.h"
#include "cuset_host/faults.h"
#include "race_words.h"
#include "races.h"
#include "stream_order.h"

namespace cuset_host::races {

__constinit thread_local bool is_in_stream_work = false;

void look_at_host(const access& a) {
    history_region& region = *regions[shared_with_host];
    // A host function of a stream knows what the stream has done before it.
    const bool is_work = is_in_stream_work;
    const auto tell_host = [&](const task_name& who, bool wrote, std::uint32_t place) {
        tell_race(place, place_of(a), [&] {
            const int line = place != 0 ? line_of_place(place) : 0;
            return running_thread(line_of_place(place_of(a))) + ": " +
                   (a.writes ? "writes " : "reads ") + place_text(a.address, a.bytes) + ", which " +
                   (is_work ? task_text(who) : who.work) + (wrote ? " writes" : " reads") +
                   (line != 0 ? " in line " + std::to_string(line) : "") +
                   (is_work ? disorder_text(who) : ", and the host has not waited for it");
        });
    };
    if (!a.is_strong && (is_work ? has_ranges_beside_task() : has_ranges_beside_host()))
        if (const auto* const r =
                (is_work ? range_beside_task : range_beside_host)(a.address, a.bytes, a.writes))
            tell_host(r->name, r->is_written, 0);
    const segment_number sure = is_work ? surely_before_task() : surely_before_host();
    if (sure == ~0U) return;
    region.each(a.address, a.bytes, [&](access_history& h, std::uintptr_t) {
        const auto look_at = [&](const access_mark& mark, bool wrote) {
            if (mark.segment < sure) return;
            const stream_task* const task = (is_work ? beside_task : beside_host)(mark.segment);
            if (task == nullptr) return;
            if (a.is_strong) return is_work ? void() : host_sees(stream_task(*task));  // it polls
            tell_host(task->name, wrote, mark.place);
        };
        look_at(h.write, true);
        if ((h.strong.place & writes_bit) != 0) look_at(h.strong, true);
        if (!a.writes) return;
        look_at(h.read, false);
        look_at(h.later_read, false);
    });
}

stream_work::stream_work(cudaStream_t stream)
    : is_outer_(has_order() && current == nullptr && !is_in_stream_work) {
    if (!is_outer_) return;
    is_in_stream_work = true;
    begin_task(stream, "a copy or fill");
}
stream_work::~stream_work() {
    if (is_outer_) is_in_stream_work = false;
}

namespace {

/// What the runtime does with a part of memory.
struct deed {
    const char *who, *verb;  // "a copy", "reads"
    bool writes;
};

/// Whether something holds it that is watched.
bool look_at_deed(const deed& d, std::uintptr_t at, std::size_t bytes) {
    const auto tell = [&](std::uintptr_t place, std::size_t size, const task_name& other,
                          bool wrote) {
        tell_race(reinterpret_cast<std::uintptr_t>(d.who), d.writes, [&] {
            return std::string(d.who) + ' ' + d.verb + ' ' + place_text(place, size) + ", which " +
                   task_text(other) + (wrote ? " writes" : " reads") + disorder_text(other);
        });
    };
    bool is_watched = false;
    for (auto& r : regions) {
        if (!r->holds(at)) continue;
        is_watched = true;
        const segment_number sure = is_in_stream_work ? surely_before_task() : surely_before_host();
        if (sure != ~0U)
            r->each(at, bytes, [&](access_history& h, std::uintptr_t place) {
                const auto look_at_mark = [&](const access_mark& mark, bool wrote) {
                    if (mark.segment < sure) return;
                    const stream_task* const task =
                        (is_in_stream_work ? beside_task : beside_host)(mark.segment);
                    if (task != nullptr) tell(place, 4, task->name, wrote);
                };
                look_at_mark(h.write, true);
                if ((h.strong.place & writes_bit) != 0) look_at_mark(h.strong, true);
                if (!d.writes) return;
                look_at_mark(h.strong, false);
                look_at_mark(h.read, false);
                look_at_mark(h.later_read, false);
            });
        const auto* const range =
            (is_in_stream_work ? range_beside_task : range_beside_host)(at, bytes, d.writes);
        if (range != nullptr) tell(at, bytes, range->name, range->is_written);
    }
    return is_watched;
}

}  // namespace

void copies(const void* to, const void* from, std::size_t bytes) {
    if (!has_order() || current != nullptr || bytes == 0) return;
    const char* const name = from == nullptr ? "a fill" : "a copy";
    const auto look_at = [&](const void* p, bool writes) {
        const auto at = reinterpret_cast<std::uintptr_t>(p);
        // Pageable memory of the host is nobody else's.
        if (look_at_deed({name, writes ? "writes" : "reads", writes}, at, bytes) &&
            is_in_stream_work)
            add_range(at, bytes, writes);
    };
    look_at(to, true);
    if (from != nullptr) look_at(from, false);
}

void frees(const void* p, std::size_t bytes) {
    if (has_order() && current == nullptr && bytes != 0)
        look_at_deed({"cudaFreeAsync", "frees", true}, reinterpret_cast<std::uintptr_t>(p), bytes);
}

void host_waits_for_stream(cudaStream_t stream) {
    if (has_order() && !is_in_stream_work && current == nullptr) host_waits(stream);
}
void host_waits_for_all_streams() {
    if (has_order() && !is_in_stream_work && current == nullptr) host_waits_for_all();
}
void event_recorded(const void* event, cudaStream_t stream) {
    if (has_order()) record_event(event, stream);
}
void event_awaited(cudaStream_t stream, const void* event) {
    if (has_order()) wait_for_event(stream, event);
}
void host_waits_for(const void* event) {
    if (!has_order()) return;
    if (is_in_stream_work) return wait_for_event(nullptr, event);  // a node of a graph
    host_waits_for_event(event);
}
void stream_destroyed(cudaStream_t stream) {
    if (has_order()) forget_stream_order(stream);
}

}  // namespace cuset_host::races

#endif
