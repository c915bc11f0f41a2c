#ifdef CUSET_HOST_RACES

#include "stream_order.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <thread>
#include <utility>

#include "device/device_model.h"
#include "streams/asynchronous_streams.h"
#include "streams/graphs.h"

namespace cuset_host::races {

namespace {

/// For each stream, by its number, up to which of its tasks all is known.
class stream_clock {
public:
    std::uint32_t of(std::uint32_t stream) const {
        return stream < positions_.size() ? positions_[stream] : 0;
    }
    void learn(std::uint32_t stream, std::uint32_t position) {
        if (positions_.size() <= stream) positions_.resize(stream + 1);
        positions_[stream] = std::max(positions_[stream], position);
    }
    void learn(const stream_clock& other) {
        for (std::uint32_t s = 0; s < other.positions_.size(); ++s) learn(s, other.positions_[s]);
    }

private:
    std::vector<std::uint32_t> positions_;
};

struct stream_state {
    bool is_blocking = true;
    std::uint32_t position = 0;
    stream_clock known{};             // by what it is given next
    std::deque<stream_task> tasks{};  // that are not over for the host, in their order
};

constexpr std::uint32_t legacy = 0;
std::vector<stream_state> streams(1);
std::map<cudaStream_t, std::uint32_t> numbers;
std::map<const void*, stream_clock> events;
stream_clock of_host, of_task;
std::vector<touched_range> ranges;
std::uint32_t task_stream = 0, task_position = 0;
std::string task_name;
dim3 task_grid, task_block;
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

void begin_task(cudaStream_t stream, std::string name, const dim3& grid, const dim3& block) {
    task_stream = number_of(stream);
    of_task = clock_of(task_stream);
    of_task.learn(of_host);
    stream_state& s = streams[task_stream];
    task_position = ++s.position;
    of_task.learn(task_stream, task_position);  // it may be of several launches and copies
    task_name = std::move(name);
    task_grid = grid;
    task_block = block;
    s.known = of_task;
    before_task = first_beside(of_task);
    ranges_beside_task = std::any_of(ranges.begin(), ranges.end(), [](const auto& r) {
        return !is_over(r.stream, r.position, of_task);
    });
}

void end_task(segment_number first, segment_number last) {
    if (last < first) return;
    streams[task_stream].tasks.push_back(
        {first, last, task_stream, task_position, task_name, task_grid, task_block});
    before_host = std::min(before_host, first);
}

segment_number surely_before_task() { return before_task; }
segment_number surely_before_host() { return before_host; }
const stream_task* beside_task(segment_number segment) { return beside(segment, of_task); }
const stream_task* beside_host(segment_number segment) { return beside(segment, of_host); }

void add_range(std::uintptr_t begin, std::size_t bytes, bool is_written) {
    ranges.push_back({task_stream, task_position, begin, begin + bytes, is_written, task_name});
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
    events[event] = clock_of(number_of(stream));
}
void wait_for_event(cudaStream_t stream, const void* event) {
    const auto found = events.find(event);
    if (found != events.end()) streams[number_of(stream)].known.learn(found->second);
}
void host_waits_for_event(const void* event) {
    const auto found = events.find(event);
    if (found == events.end()) return host_waits_for_all();  // a graph has recorded it
    host_learns(found->second);
}
void forget_stream_order(cudaStream_t stream) { numbers.erase(stream); }

}  // namespace cuset_host::races

#endif
