// Operations of a stream that become nodes of a graph.
#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "asynchronous_streams.h"
#include "cuset_host/threads/execution.h"
#include "graph_nodes.h"

using namespace cuset_host;

namespace {

/// What of the launch that is captured next the node tells.
thread_local std::unique_ptr<launch_parameters> next_launch;
thread_local bool next_overlaps = false;

unsigned long long next_capture_number() {
    static std::atomic<unsigned long long> last{0};
    return ++last;
}

void end_capture(cudaGraph_t graph) {
    const std::lock_guard lock(captures_mutex());
    for (cudaStream_t stream : graph->streams) {
        stream->capture = {};
        stream->is_origin = false;
    }
    graph->streams.clear();
    graph->left_behind.clear();
    captures().erase(graph);
}

bool is_handle(cudaStream_t stream) {
    return reinterpret_cast<std::uintptr_t>(stream) > 0x10;  // none of the fixed ones
}

}  // namespace

namespace cuset_host {

std::set<cudaGraph_t>& captures() {
    static std::set<cudaGraph_t>& made = *new std::set<cudaGraph_t>;
    return made;
}

bool is_capturing(cudaStream_t stream) {
    if (is_stream_work()) return false;
    // A handle may be any number: it is looked at only where some stream is being captured.
    return !captures().empty() && is_handle(stream) && stream->capture.graph != nullptr;
}

bool captured(cudaStream_t stream, cudaGraphNodeType type, const graph_work& work) {
    if (!is_capturing(stream)) return do_behind(stream, work);
    capture_state& state = stream->capture;
    if (state.graph->has_failed) {
        set_error(cudaErrorStreamCaptureInvalidated);
        return true;
    }
    cudaGraphNode_t made = nullptr;
    if (add_node(&made, state.graph, state.last.data(), state.last.size(), type, work) ==
        cudaSuccess) {
        made->is_captured = true;
        state.last = {made};
    } else {
        state.graph->has_failed = true;  // what it depends on is not of this graph
    }
    return true;
}

void note_memory(cudaStream_t stream, void* p, std::size_t bytes) {
    if (stream->capture.graph->has_failed || stream->capture.last.empty()) return;
    cudaGraphNode_t const node = stream->capture.last.front();
    node->memory = p;
    node->bytes = bytes;
}

void do_after_grid(cudaStream_t stream, graph_work work) {
    launch_after_grid(
        new graph_work(std::move(work)),
        [](const void* made) { return (*static_cast<const graph_work*>(made))(); },
        [](const void* made) { delete static_cast<const graph_work*>(made); }, is_for_tail(stream));
}

void capture_launch(cudaStream_t stream, const void* made, cudaError_t (*run)(const void*),
                    void (*destroy)(const void*)) {
    const std::shared_ptr<const void> kept(made, destroy);
    captured(stream, cudaGraphNodeTypeKernel, [kept, run] { return run(kept.get()); });
    if (next_launch != nullptr && is_capturing(stream) && !stream->capture.graph->has_failed)
        *stream->capture.last.front() << std::move(*next_launch);
    next_launch = nullptr;
    if (is_capturing(stream) && !stream->capture.last.empty()) {
        stream->capture.last.front()->overlaps = next_overlaps;
        stream->capture.last.front()->attributes[cudaLaunchAttributePriority].priority =
            stream->priority;
    }
    next_overlaps = false;
}

void note_overlap(cudaStream_t stream, bool overlaps) {
    next_overlaps = overlaps && is_capturing(stream);
}

void note_launch(const void* function, const configuration& shape,
                 const std::shared_ptr<void>& arguments, void** list) {
    next_launch = std::make_unique<launch_parameters>();
    auto& p = next_launch->kernel;
    p.func = const_cast<void*>(function);
    p.gridDim = shape.grid;
    p.blockDim = shape.block;
    p.sharedMemBytes = static_cast<unsigned>(shape.shared_bytes);
    p.kernelParams = list;
    next_launch->arguments = arguments;
}

}  // namespace cuset_host

bool capture_event(capture_state& event, cudaStream_t stream) {
    event = is_capturing(stream) ? stream->capture : capture_state();
    return event.graph != nullptr;
}

bool join_capture(cudaStream_t stream, const capture_state& event, bool is_recorded,
                  cudaError_t& error) {
    error = cudaSuccess;
    const std::lock_guard lock(captures_mutex());
    if (captures().count(event.graph) == 0) {
        // What was done outside of the capture is not there when the graph is launched.
        if (!is_recorded || event.graph != nullptr || !is_capturing(stream)) return false;
        stream->capture.graph->has_failed = true;
        error = cudaErrorStreamCaptureIsolation;
        return true;
    }
    if (stream == nullptr || stream == cudaStreamLegacy) {  // it cannot be captured
        event.graph->has_failed = true;
        error = cudaErrorStreamCaptureUnsupported;
        return true;
    }
    if (!is_handle(stream)) return false;
    capture_state& state = stream->capture;
    if (event.graph->has_failed) {
        error = cudaErrorStreamCaptureInvalidated;
        return true;
    }
    if (state.graph == nullptr) {
        state.graph = event.graph;
        event.graph->streams.insert(stream);
    } else if (state.graph != event.graph) {
        state.graph->has_failed = event.graph->has_failed = true;  // two captures must not meet
        error = cudaErrorStreamCaptureMerge;
        return true;
    }
    for (cudaGraphNode_t node : event.last)
        if (std::find(state.last.begin(), state.last.end(), node) == state.last.end())
            state.last.push_back(node);
    return true;
}

bool is_captured(const capture_state& event) {
    if (event.graph == nullptr) return false;
    const std::lock_guard lock(captures_mutex());
    if (captures().count(event.graph) != 0) event.graph->has_failed = true;
    return true;
}

void leave_capture(cudaStream_t stream) {
    if (!is_capturing(stream)) return;
    cudaGraph_t const graph = stream->capture.graph;
    if (stream->is_origin) return end_capture(graph);  // the graph is lost
    const std::lock_guard lock(captures_mutex());
    graph->streams.erase(stream);
}

bool capture_external_event(cudaStream_t stream, cudaGraphNodeType type, cudaEvent_t event) {
    if (!is_capturing(stream)) return false;
    const auto work = [event, type] {
        return type == cudaGraphNodeTypeEventRecord ? cudaEventRecord(event, nullptr)
                                                    : cudaEventSynchronize(event);
    };
    if (!captured(stream, type, work)) return false;
    if (!stream->capture.graph->has_failed) stream->capture.last.front()->event = event;
    return true;
}

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
    if (!is_handle(stream)) return set_error(cudaErrorStreamCaptureUnsupported);
    if (is_capturing(stream)) return set_error(cudaErrorIllegalState);
    auto* const graph = new CUgraph_st;
    graph->mode = mode;
    graph->owner = std::this_thread::get_id();
    graph->capture_number = next_capture_number();
    const std::lock_guard lock(captures_mutex());
    graph->streams.insert(stream);
    stream->capture.graph = graph;
    stream->is_origin = true;
    captures().insert(graph);
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* out) {
    if (!is_capturing(stream)) return set_error(cudaErrorIllegalState);
    cudaGraph_t const graph = stream->capture.graph;
    if (out == nullptr && !graph->is_programs) return set_error(cudaErrorInvalidValue);
    if (!stream->is_origin) return set_error(cudaErrorStreamCaptureUnmatched);
    if (graph->mode != cudaStreamCaptureModeRelaxed && graph->owner != std::this_thread::get_id())
        return set_error(cudaErrorStreamCaptureWrongThread);
    // What other streams have done has to lead back to this one, but for what the program has
    // added itself, or has taken from what comes next.
    std::set<cudaGraphNode_t> reached = graph->left_behind;
    reached.insert(stream->capture.last.begin(), stream->capture.last.end());
    std::vector<cudaGraphNode_t> todo(reached.begin(), reached.end());
    while (!todo.empty()) {
        cudaGraphNode_t const node = todo.back();
        todo.pop_back();
        for (cudaGraphNode_t before : node->after)
            if (reached.insert(before).second) todo.push_back(before);
    }
    bool is_joined = true;
    for (std::size_t i = graph->nodes_before; i < graph->nodes.size(); ++i)
        is_joined = is_joined &&
                    (!graph->nodes[i]->is_captured || reached.count(graph->nodes[i].get()) != 0);
    end_capture(graph);
    if (graph->is_programs) {
        if (out != nullptr) *out = graph;
        return set_error(graph->has_failed ? cudaErrorStreamCaptureInvalidated
                         : is_joined       ? cudaSuccess
                                           : cudaErrorStreamCaptureUnjoined);
    }
    *out = nullptr;
    if (graph->has_failed || !is_joined) {
        const cudaError_t error =
            graph->has_failed ? cudaErrorStreamCaptureInvalidated : cudaErrorStreamCaptureUnjoined;
        delete graph;
        return set_error(error);
    }
    *out = graph;
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    if (status == nullptr) return set_error(cudaErrorInvalidValue);
    if (stream == nullptr || stream == cudaStreamLegacy) {
        const std::lock_guard lock(captures_mutex());
        for (cudaGraph_t graph : captures())
            for (cudaStream_t other : graph->streams)
                if (other->flags != cudaStreamNonBlocking)
                    return set_error(cudaErrorStreamCaptureImplicit);
    }
    *status = !is_capturing(stream)               ? cudaStreamCaptureStatusNone
              : stream->capture.graph->has_failed ? cudaStreamCaptureStatusInvalidated
                                                  : cudaStreamCaptureStatusActive;
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* after, const cudaGraphEdgeData*,
                                          std::size_t count, cudaStreamCaptureMode mode) {
    if (graph == nullptr || (count > 0 && after == nullptr))
        return set_error(cudaErrorInvalidValue);
    cudaGraph_t made = nullptr;
    if (const cudaError_t error = cudaStreamBeginCapture(stream, mode); error != cudaSuccess)
        return error;
    const std::lock_guard lock(captures_mutex());
    made = stream->capture.graph;
    captures().erase(made);
    delete made;
    graph->is_programs = true;
    graph->has_failed = false;
    graph->nodes_before = graph->nodes.size();
    graph->mode = mode;
    graph->owner = std::this_thread::get_id();
    graph->capture_number = next_capture_number();
    graph->streams.insert(stream);
    stream->capture.graph = graph;
    stream->capture.last.assign(after, after + count);
    captures().insert(graph);
    return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** last, const cudaGraphEdgeData** edges,
                                     std::size_t* count) {
    const cudaError_t error = cudaStreamIsCapturing(stream, status);
    if (error != cudaSuccess || *status != cudaStreamCaptureStatusActive) return error;
    const capture_state& state = stream->capture;
    if (id != nullptr) *id = state.graph->capture_number;
    if (graph != nullptr) *graph = state.graph;
    if (last != nullptr) *last = state.last.data();
    static thread_local std::vector<cudaGraphEdgeData> plain_edges;
    plain_edges.assign(state.last.size(), {});
    if (edges != nullptr) *edges = plain_edges.data();
    if (count != nullptr) *count = state.last.size();
    return cudaSuccess;
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes,
                                                const cudaGraphEdgeData*, std::size_t count,
                                                unsigned flags) {
    if (!is_capturing(stream)) return set_error(cudaErrorIllegalState);
    if (count > 0 && nodes == nullptr) return set_error(cudaErrorInvalidValue);
    auto& last = stream->capture.last;
    if (flags == cudaStreamSetCaptureDependencies) {
        stream->capture.graph->left_behind.insert(last.begin(), last.end());
        last.clear();
    }
    for (std::size_t i = 0; i < count; ++i)
        if (std::find(last.begin(), last.end(), nodes[i]) == last.end()) last.push_back(nodes[i]);
    return cudaSuccess;
}

}  // extern "C"
