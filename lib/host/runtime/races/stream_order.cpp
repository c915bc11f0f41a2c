#ifdef CUSET_HOST_RACES

#include "stream_order.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <thread>
#include <utility>

#include "accesses.h"
#include "device/device_model.h"
#include "streams/asynchronous_streams.h"
#include "streams/graphs.h"

namespace cuset_host::races {

namespace {

struct stream_state {
    bool is_blocking = true;
    std::uint32_t position = 0;
    stream_clock known{};             // by what it is given next
    std::deque<stream_task> tasks{};  // that are not over for the host, in their order
    std::vector<std::uint32_t> lanes{};
    /// Of the task that began last, if it is a kernel: its lane, or stream, and position.
    std::uint32_t kernel_lane = 0, kernel_position = 0;  // 0: none
    bool next_may_begin = false;                         // while it runs
};

constexpr std::uint32_t legacy = 0;
std::vector<stream_state> streams(1);
std::map<cudaStream_t, std::uint32_t> numbers;
std::map<const void*, stream_clock> events;
stream_clock of_host, of_task;
std::vector<touched_range> ranges;
std::uint32_t task_stream = 0, task_position = 0;
task_name task;
stream_clock awaited;          // by a kernel that has begun early, once it waits
bool has_begun_early = false;  // and has not waited yet
segment_number before_task = ~0U, before_host = ~0U;
bool ranges_beside_task = false;

/// Also the streams that have a name in kernels only: their work comes behind its grid.
bool is_legacy_stream(cudaStream_t s) {
    constexpr std::uintptr_t most_named = 16;
    return reinterpret_cast<std::uintptr_t>(s) < most_named && s != cudaStreamPerThread;
}

std::uint32_t number_of(cudaStream_t stream) {
    if (is_legacy_stream(stream)) return legacy;
    const auto [found, is_new] =
        numbers.emplace(stream, static_cast<std::uint32_t>(streams.size()));
    if (is_new) {
        const bool blocks = stream == cudaStreamPerThread || stream->flags == cudaStreamDefault;
        streams.push_back({.is_blocking = blocks});
    }
    return found->second;
}

/// What work knows that the stream is given now, beside the host's.
stream_clock clock_of(std::uint32_t stream) {
    stream_clock sum = streams[stream].known;
    if (stream == legacy) {
        for (const auto& s : streams)
            if (s.is_blocking) sum.learn(s.known);
    } else if (streams[stream].is_blocking) {
        sum.learn(streams[legacy].known);
    }
    return sum;
}

bool is_over(std::uint32_t stream, std::uint32_t position, const stream_clock& known) {
    return position <= known.of(stream);
}

/// The first segment of a task that the clock does not know.
segment_number first_beside(const stream_clock& known) {
    segment_number first = ~0U;
    for (std::uint32_t i = 0; i < streams.size(); ++i) {
        const auto& tasks = streams[i].tasks;
        const auto next = std::upper_bound(
            tasks.begin(), tasks.end(), known.of(i),
            [](std::uint32_t position, const stream_task& t) { return position < t.position; });
        if (next != tasks.end()) first = std::min(first, next->first);
    }
    return first;
}

template <class Which>
void drop_ranges(const Which& which) {
    ranges.erase(std::remove_if(ranges.begin(), ranges.end(), which), ranges.end());
}

void host_learns(const stream_clock& known) {
    of_host.learn(known);
    for (std::uint32_t i = 0; i < streams.size(); ++i) {
        auto& tasks = streams[i].tasks;
        while (!tasks.empty() && is_over(i, tasks.front().position, of_host)) tasks.pop_front();
    }
    drop_ranges([](const touched_range& r) { return is_over(r.stream, r.position, of_host); });
    before_host = first_beside(of_host);
}

const stream_task* beside(segment_number segment, const stream_clock& known) {
    for (const auto& s : streams) {
        const auto after = std::upper_bound(
            s.tasks.begin(), s.tasks.end(), segment,
            [](segment_number number, const stream_task& t) { return number < t.first; });
        if (after == s.tasks.begin()) continue;
        const stream_task& t = *std::prev(after);
        if (segment <= t.last) return is_over(t.stream, t.position, known) ? nullptr : &t;
    }
    return nullptr;
}

const touched_range* range_beside(std::uintptr_t begin, std::size_t bytes, bool writes,
                                  const stream_clock& known) {
    for (const auto& r : ranges)
        if (begin < r.end && r.begin < begin + bytes && (writes || r.is_written) &&
            !is_over(r.stream, r.position, known))
            return &r;
    return nullptr;
}

/// What is beside the work that has begun last, by what that knows now.
void look_beside_task() {
    before_task = first_beside(of_task);
    ranges_beside_task = std::any_of(ranges.begin(), ranges.end(), [](const auto& r) {
        return !is_over(r.stream, r.position, of_task);
    });
}

}  // namespace

bool has_order() {
    static std::atomic<std::thread::id> first;
    static std::atomic<bool> are_more{false};
    if (program_has_asynchronous_streams() || are_more.load(std::memory_order_relaxed))
        return false;
    std::thread::id none, here = std::this_thread::get_id();
    if (first.load(std::memory_order_relaxed) == here || first.compare_exchange_strong(none, here))
        return true;
    are_more = true;
    return false;
}

void begin_task(cudaStream_t stream, std::string work) {
    const std::uint32_t number = number_of(stream);
    stream_clock known = clock_of(number);
    known.learn(of_host);
    streams[number].kernel_position = 0;
    begin_lane_task(number, known, {.work = std::move(work)});
}

void begin_kernel(cudaStream_t stream, std::string work, bool overlaps) {
    const std::uint32_t number = number_of(stream);
    stream_clock known = clock_of(number);
    const std::uint32_t before_lane = streams[number].kernel_lane;
    const std::uint32_t before = streams[number].kernel_position;
    const bool is_early = overlaps && before != 0 && streams[number].next_may_begin;
    const std::uint32_t lane = is_early && before_lane == number ? lane_of(number, 0) : number;
    const stream_clock all = known;
    if (is_early) known.forget_from(before_lane, before);
    known.learn(of_host);
    begin_lane_task(lane, known, {.work = std::move(work), .stream = number});
    stream_state& s = streams[number];
    s.known.learn(all);
    s.known.learn(of_task);
    s.kernel_lane = lane;
    s.kernel_position = task_position;
    s.next_may_begin = false;
    awaited = s.known;
    has_begun_early = is_early;
}

void let_next_kernel_begin() { streams[task.stream].next_may_begin = true; }

void wait_for_kernel_before() {
    if (!std::exchange(has_begun_early, false)) return;
    of_task.learn(awaited);
    look_beside_task();
}

bool overlaps_with(const task_name& before) {
    return has_begun_early && before.graph == 0 && before.stream == task.stream;
}

void begin_lane_task(std::uint32_t lane, const stream_clock& known, task_name name) {
    task_stream = lane;
    of_task = known;
    stream_state& s = streams[lane];
    task_position = ++s.position;
    of_task.learn(task_stream, task_position);  // it may be of several launches and copies
    task = std::move(name);
    s.known = of_task;
    has_begun_early = false;
    look_beside_task();
}

void name_task(std::string work) { task.work = std::move(work); }

void end_task(segment_number first, segment_number last) {
    if (last < first) return;
    streams[task_stream].tasks.push_back({first, last, task_stream, task_position, task});
    before_host = std::min(before_host, first);
}

std::uint32_t task_lane() { return task_stream; }
const stream_clock& task_clock() { return of_task; }
const task_name& running_task() { return task; }

std::uint32_t lane_of(std::uint32_t stream, std::size_t index) {
    while (streams[stream].lanes.size() <= index) {
        streams[stream].lanes.push_back(static_cast<std::uint32_t>(streams.size()));
        streams.push_back({.is_blocking = false});
    }
    return streams[stream].lanes[index];
}

segment_number surely_before_task() { return before_task; }
segment_number surely_before_host() { return before_host; }
const stream_task* beside_task(segment_number segment) { return beside(segment, of_task); }
const stream_task* beside_host(segment_number segment) { return beside(segment, of_host); }

void add_range(std::uintptr_t begin, std::size_t bytes, bool is_written) {
    ranges.push_back({task_stream,
                      task_position,
                      begin,
                      begin + bytes,
                      is_written,
                      {"a copy or fill", task.graph, task.node}});
}
void forget_ranges(std::uintptr_t begin, std::size_t bytes) {
    drop_ranges([&](const touched_range& r) { return begin < r.end && r.begin < begin + bytes; });
}
const touched_range* range_beside_task(std::uintptr_t begin, std::size_t bytes, bool writes) {
    return range_beside(begin, bytes, writes, of_task);
}
const touched_range* range_beside_host(std::uintptr_t begin, std::size_t bytes, bool writes) {
    return range_beside(begin, bytes, writes, of_host);
}
bool has_ranges_beside_task() { return ranges_beside_task; }
bool has_ranges_beside_host() { return !ranges.empty(); }

void host_waits(cudaStream_t stream) { host_learns(clock_of(number_of(stream))); }
void host_waits_for_all() {
    stream_clock all;
    for (const auto& s : streams) all.learn(s.known);
    host_learns(all);
}
void host_sees(const stream_task& task) {
    stream_clock known = of_host;
    known.learn(task.stream, task.position);
    host_learns(known);
}
void record_event(const void* event, cudaStream_t stream) {
    if (is_in_stream_work) {
        events[event] = of_task;
        return;
    }
    const std::uint32_t number = number_of(stream);
    streams[number].kernel_position = 0;
    events[event] = clock_of(number);
}
void wait_for_event(cudaStream_t stream, const void* event) {
    const auto found = events.find(event);
    if (found == events.end()) return;
    if (!is_in_stream_work) {
        stream_state& s = streams[number_of(stream)];
        s.kernel_position = 0;
        return s.known.learn(found->second);
    }
    of_task.learn(found->second);
    streams[task_stream].known.learn(found->second);
    look_beside_task();
}
void host_waits_for_event(const void* event) {
    const auto found = events.find(event);
    if (found == events.end()) return host_waits_for_all();
    host_learns(found->second);
}
void forget_stream_order(cudaStream_t stream) { numbers.erase(stream); }

}  // namespace cuset_host::races

#endif
