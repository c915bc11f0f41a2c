// The search for data races in device memory, which a program that passed is run with once more.
//
// A race: two threads touch one byte, one of them changes it, nothing orders the two, and they are
// not both strong (atomic or volatile). It is found by what orders accesses (FastTrack, Flanagan
// and Freund 2009), not by trying orders, so the threads may run one after another. What orders
// them:
//
//   within a block     barriers of the block; of a warp, the operations with both lanes in the mask
//   within a grid      barriers of the grid and of a cluster; a strong access that sees what
//   another
//                      thread wrote after a fence
//   within a cluster   also barriers in shared memory at which threads of several blocks arrive
//   between kernels    streams, events, graphs' dependencies and waits of the host
//                      (stream_order.h). Copies and fills are seen too, and the host's own accesses
//                      to memory that it shares
//
// The compiler calls __tsan_* before each access of the program's own code (compiler_calls.cpp). In
// a build without the search all of this is nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cuset_host/cuda_types.h"

#ifdef CUSET_HOST_RACES
#include "happens_before.h"
#endif

namespace cuset_host::races {

#ifdef CUSET_HOST_RACES

inline constexpr bool are_on = true;

/// Watches a region of memory that kernels reach. To be called before the program begins.
void watch_region(std::uintptr_t base, std::size_t bytes);
/// The program has made an allocation. Of a large one a part of its pages is looked at, but where
/// the settings have it that all is.
void allocated(const void* begin, std::size_t bytes);
/// Nobody has touched [begin, begin + bytes) yet: it has been allocated for a new use.
void forget(const void* begin, std::size_t bytes);

/// A launch begins. `is_on_several_threads`: of the system. `overlaps`: it may begin before the
/// kernel before it in its stream has ended.
void begin_launch(cudaStream_t stream, const char* kernel, bool is_on_several_threads,
                  bool overlaps);
void end_launch();

/// The block of that number in its grid begins. `shared`: its shared memory.
void begin_block(block_clock& block, std::uint64_t number, std::uint64_t cluster,
                 const unsigned char* shared, std::size_t shared_bytes);
/// The blocks of a cluster; to be called once for each two, and for each and itself.
void join(block_clock& block, block_clock& other);
/// All threads of the running block have ended.
void end_block();
/// This OS thread runs the block's threads from here on, until it leaves the block.
void enter_block(block_clock& block);
void leave_block();
/// All threads of the block that have not ended have met; of its cluster; of the grid.
void block_met();
void cluster_met();
void grid_met();
/// Those lanes of a warp have met; `all`: those that the warp has.
void lanes_met(unsigned warp, unsigned lanes, unsigned all);
/// The thread that runs now is about to wait or has ended.
void leave_thread();

/// While one lives, the calling thread does work of the stream in its turn.
class stream_work {
public:
    explicit stream_work(cudaStream_t stream);
    ~stream_work();
    stream_work(const stream_work&) = delete;
    stream_work& operator=(const stream_work&) = delete;

private:
    bool is_outer_;
};
struct graph_lanes;
/// While one lives, the work that has begun last is a graph of so many nodes.
class graph_order {
public:
    explicit graph_order(std::size_t nodes);
    ~graph_order();
    graph_order(const graph_order&) = delete;
    graph_order& operator=(const graph_order&) = delete;
    /// What follows is the work of this node, which depends on those `after`. `number`: its own,
    /// for people.
    void begin_node(std::size_t node, std::size_t number, const std::vector<std::size_t>& after);

private:
    std::unique_ptr<graph_lanes> lanes_;  // null: nothing is known
};
/// The running thread is about to change memory, called from `pc`.
void writes(const void* to, std::size_t bytes, const void* pc);
/// The runtime copies or fills; `from` is null for a fill.
void copies(const void* to, const void* from, std::size_t bytes);
/// Work of a stream gives memory back. What comes after it is no race, but a use of freed memory.
void frees(const void* p, std::size_t bytes);

// The host's calls, and those of graphs' nodes. See stream_order.h. An event may be any object.
void host_waits_for_stream(cudaStream_t stream);
void host_waits_for_all_streams();
void event_recorded(const void* event, cudaStream_t stream);
void event_awaited(cudaStream_t stream, const void* event);
void host_waits_for(const void* event);
void stream_destroyed(cudaStream_t stream);

#else

inline constexpr bool are_on = false;

inline void watch_region(std::uintptr_t, std::size_t) {}
inline void allocated(const void*, std::size_t) {}
inline void forget(const void*, std::size_t) {}
inline void begin_launch(cudaStream_t, const char*, bool, bool) {}
inline void end_launch() {}
struct block_clock {};
inline void begin_block(block_clock&, std::uint64_t, std::uint64_t, const unsigned char*,
                        std::size_t) {}
inline void join(block_clock&, block_clock&) {}
inline void end_block() {}
inline void enter_block(block_clock&) {}
inline void leave_block() {}
inline void block_met() {}
inline void cluster_met() {}
inline void grid_met() {}
inline void lanes_met(unsigned, unsigned, unsigned) {}
inline void leave_thread() {}
struct stream_work {
    explicit stream_work(cudaStream_t) {}
    ~stream_work() {}
};
struct graph_order {
    explicit graph_order(std::size_t) {}
    void begin_node(std::size_t, std::size_t, const std::vector<std::size_t>&) {}
};
inline void writes(const void*, std::size_t, const void*) {}
inline void copies(const void*, const void*, std::size_t) {}
inline void frees(const void*, std::size_t) {}
inline void host_waits_for_stream(cudaStream_t) {}
inline void host_waits_for_all_streams() {}
inline void event_recorded(const void*, cudaStream_t) {}
inline void event_awaited(cudaStream_t, const void*) {}
inline void host_waits_for(const void*) {}
inline void stream_destroyed(cudaStream_t) {}

#endif

}  // namespace cuset_host::races
