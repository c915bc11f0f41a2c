// What orders the work of streams and the host's accesses: streams, events, graphs' dependencies,
// and waits of the host. For the search for races, where the work of streams is done at once
// (asynchronous_streams.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cuset_host/cuda_types.h"
#include "happens_before.h"

namespace cuset_host::races {

/// Whether any of this is known: it is not where streams are asynchronous, and it is for one thread
/// of the host alone.
bool has_order();

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
    /// It knows no task of the stream from this one on.
    void forget_from(std::uint32_t stream, std::uint32_t position) {
        if (of(stream) >= position) positions_[stream] = position - 1;
    }
    void learn(const stream_clock& other) {
        for (std::uint32_t s = 0; s < other.positions_.size(); ++s) learn(s, other.positions_[s]);
    }

private:
    std::vector<std::uint32_t> positions_;
};

/// What people know a piece of work by.
struct task_name {
    std::string work{};        ///< "kernel add", "a copy or fill"
    std::uint64_t graph = 0;   ///< which launch of a graph it is of; 0: none
    std::string node{};        ///< of the graph: "2", or "2.1" in a child graph
    std::uint32_t stream = 0;  ///< that the program gave a kernel to; of other work not known
};

/// A piece of work of a stream, which is not over for the host yet.
struct stream_task {
    segment_number first, last;  ///< of a launch; none: last < first
    std::uint32_t stream, position;
    task_name name;
};

/// The next piece of work of the stream begins; it knows all that comes before it.
void begin_task(cudaStream_t stream, std::string work);
/// The same for a kernel. Where it `overlaps` the kernel before it in its stream, and that has let
/// the next one begin, it knows what that one knew when it began, until it waits for it. Such
/// kernels are tasks of two lanes in turn.
void begin_kernel(cudaStream_t stream, std::string work, bool overlaps);
/// The running kernel lets the next one begin; waits until the one before it has ended.
void let_next_kernel_begin();
void wait_for_kernel_before();
/// Whether the running kernel may have begun before that one of its stream has ended.
bool overlaps_with(const task_name& before);
/// A part of the work that has begun last is a launch of this kernel.
void name_task(std::string work);
/// The launch that has begun last is over; its segments were these.
void end_task(segment_number first, segment_number last);

// A graph's nodes are tasks of lanes: streams that no program has. See graph_order.cpp.

/// The number of the stream or lane of the work that has begun last; what that work knows.
std::uint32_t task_lane();
const stream_clock& task_clock();
const task_name& running_task();
/// The number of the stream's lane of this index; it may have lanes in its turn.
std::uint32_t lane_of(std::uint32_t stream, std::size_t index);
/// The next piece of work of the stream or lane, which knows this alone.
void begin_lane_task(std::uint32_t lane, const stream_clock& known, task_name name);

/// All segments before this one are ordered before the work that has begun last; before the host's
/// next access.
segment_number surely_before_task();
segment_number surely_before_host();
/// The task of the segment, if it is not ordered before the work that has begun last (before the
/// host's next access); else null.
const stream_task* beside_task(segment_number segment);
const stream_task* beside_host(segment_number segment);

/// Memory that a copy or a fill has touched, of a task that is not over for the host.
struct touched_range {
    std::uint32_t stream, position;
    std::uintptr_t begin, end;
    bool is_written;
    task_name name;
};
/// Of the task that has begun last.
void add_range(std::uintptr_t begin, std::size_t bytes, bool is_written);
/// A range that meets this access, of which one writes, and that is not ordered before the work
/// that has begun last, or before the host's next access; null if there is none.
const touched_range* range_beside_task(std::uintptr_t begin, std::size_t bytes, bool writes);
const touched_range* range_beside_host(std::uintptr_t begin, std::size_t bytes, bool writes);
/// The memory has been allocated for a new use.
void forget_ranges(std::uintptr_t begin, std::size_t bytes);
/// Whether there is any such range.
bool has_ranges_beside_task();
bool has_ranges_beside_host();

/// The host waits for all that the stream has been given; for a legacy default stream, for all that
/// do not wait for it too.
void host_waits(cudaStream_t stream);
void host_waits_for_all();
/// Takes the task for over: the host has seen what it wrote.
void host_sees(const stream_task& task);
void record_event(const void* event, cudaStream_t stream);
void wait_for_event(cudaStream_t stream, const void* event);
void host_waits_for_event(const void* event);
/// Its number is not used again; what it has done may still be going on.
void forget_stream_order(cudaStream_t stream);

}  // namespace cuset_host::races
