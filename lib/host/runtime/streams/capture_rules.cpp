#include "capture_rules.h"

#include <thread>
#include <utility>

#include "asynchronous_streams.h"
#include "cuset_host/threads/execution.h"
#include "graph_nodes.h"

namespace cuset_host {

namespace {

thread_local bool is_inside_call = false;
/// Of the calling thread: cudaThreadExchangeStreamCaptureMode().
thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

/// Nothing is looked at then.
bool all_is_allowed() {
    return is_inside_call || captures().empty() || is_stream_work() || is_in_kernel();
}

/// Fails the captures for which disturbs(graph) is true. Returns whether there are any. A capture
/// without a stream only reads the parameters of a launch (launch_of() in graphs.cpp).
template <class Disturbs>
bool fail_captures(const Disturbs& disturbs) {
    const std::lock_guard lock(captures_mutex());
    bool found = false;
    for (cudaGraph_t graph : captures()) {
        if (graph->streams.empty() || !disturbs(*graph)) continue;
        graph->has_failed = true;
        found = true;
    }
    return found;
}

bool has_blocking_stream(const CUgraph_st& graph) {
    for (cudaStream_t stream : graph.streams)
        if (stream->flags != cudaStreamNonBlocking) return true;
    return false;
}

}  // namespace

std::mutex& captures_mutex() {
    static std::mutex& made = *new std::mutex;
    return made;
}

inside_call::inside_call() : outer_(std::exchange(is_inside_call, true)) {}
inside_call::~inside_call() { is_inside_call = outer_; }

cudaError_t refused_by_capture() {
    if (all_is_allowed()) return cudaSuccess;
    return fail_captures([](const CUgraph_st&) { return true; }) ? cudaErrorStreamCaptureUnsupported
                                                                 : cudaSuccess;
}

cudaError_t refused_by_capture(cudaStream_t stream) {
    if (const cudaError_t error = refused_by_stream(stream); error != cudaSuccess) return error;
    if (is_inside_call || !is_capturing(stream)) return cudaSuccess;
    stream->capture.graph->has_failed = true;
    return cudaErrorStreamCaptureUnsupported;
}

cudaError_t unsafe_in_capture() {
    if (all_is_allowed() || thread_mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
    const auto disturbs = [](const CUgraph_st& graph) {
        if (graph.mode == cudaStreamCaptureModeRelaxed) return false;
        return graph.owner == std::this_thread::get_id() ||
               (graph.mode == cudaStreamCaptureModeGlobal &&
                thread_mode == cudaStreamCaptureModeGlobal);
    };
    return fail_captures(disturbs) ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

cudaError_t refused_by_stream(cudaStream_t stream) {
    if (all_is_allowed()) return cudaSuccess;
    if (is_capturing(stream))
        return stream->capture.graph->has_failed ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
    const bool is_legacy = stream == nullptr || stream == cudaStreamLegacy;
    return is_legacy && fail_captures(has_blocking_stream) ? cudaErrorStreamCaptureImplicit
                                                           : cudaSuccess;
}

cudaError_t refused_copy() {
    const cudaError_t error = refused_by_stream(nullptr);
    return error != cudaSuccess ? error : unsafe_in_capture();
}

}  // namespace cuset_host

using namespace cuset_host;

extern "C" cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
    if (mode == nullptr || *mode < cudaStreamCaptureModeGlobal ||
        *mode > cudaStreamCaptureModeRelaxed)
        return set_error(cudaErrorInvalidValue);
    std::swap(thread_mode, *mode);
    return cudaSuccess;
}
