// Graphs: operations that a stream captures, or that a program adds as nodes, and their order.
#pragma once

#include <functional>
#include <vector>

#include "capture_rules.h"
#include "core/lost_device.h"
#include "cuset_host/cuda_types.h"
#include "cuset_host/threads/execution.h"
#include "races/races.h"

namespace cuset_host {

using graph_work = std::function<cudaError_t()>;

/// If the stream is being captured, adds the work to its graph: true. The work is then done at each
/// launch of the graph. The same if the work of streams is done behind the host's code.
bool captured(cudaStream_t stream, cudaGraphNodeType type, const graph_work& work);
/// A graph that runs, and those that its kernels want to run behind it.
struct graph_run;
/// The one whose work this thread does; null: none.
extern thread_local graph_run* running_graph;
/// The one whose kernel runs here, in a kernel.
graph_run* kernel_graph();
/// Says which memory the node is about that the stream has captured last.
void note_memory(cudaStream_t stream, void* p, std::size_t bytes);
/// Adds work of a kernel's thread to what its grid leaves behind: launches and copies, in their
/// order.
void do_after_grid(cudaStream_t stream, graph_work work);
/// Adds the work to the graph that captures the stream, or does it, in a kernel after its grid.
template <class Work>
cudaError_t captured_or_done(cudaStream_t stream, cudaGraphNodeType type, const Work& work) {
    if (is_in_kernel()) {
        do_after_grid(stream, work);
        return cudaSuccess;
    }
    if (const cudaError_t error = refused_by_stream(stream); error != cudaSuccess)
        return set_error(error);
    if (captured(stream, type, work)) return set_error(error_that_was_met());
    const inside_call parts;
    const races::stream_work in_turn(stream);
    return set_error(work());
}

}  // namespace cuset_host

/// What of a stream or an event belongs to a capture.
struct capture_state {
    cudaGraph_t graph = nullptr;          ///< null: none
    std::vector<cudaGraphNode_t> last{};  ///< what the next operation depends on
};

/// Identifiers of streams, which are not used again: from 3 on, since 1 and 2 are default streams'.
unsigned long long next_stream_id();

struct CUstream_st {
    unsigned flags = 0;
    int priority = 0;
    capture_state capture{};
    bool is_origin = false;
    unsigned long long id = next_stream_id();
};

/// Called by cudaEventRecord and cudaStreamWaitEvent; true where the operation belongs to a capture
/// alone, or may not be done for one: join_capture() then returns the error. `is_recorded`: outside
/// of captures.
bool capture_event(capture_state& event, cudaStream_t stream);
bool join_capture(cudaStream_t stream, const capture_state& event, bool is_recorded,
                  cudaError_t& error);
/// The same for an event that stays outside of the graph: a node of it, done at each launch.
bool capture_external_event(cudaStream_t stream, cudaGraphNodeType type, cudaEvent_t event);
/// Whether the event's last record was one of a capture: nobody can wait for it then. A capture
/// that goes on has failed.
bool is_captured(const capture_state& event);
/// For a stream that is no more.
void leave_capture(cudaStream_t stream);
