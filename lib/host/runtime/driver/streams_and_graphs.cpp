// The driver API's streams and graphs, whose handles are the runtime API's.
#include "calls.h"

using namespace cuset_host;

extern "C" {

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
    return done([&] { return cudaStreamCreateWithPriority(stream, flags, priority); });
}
CUresult cuStreamGetPriority(CUstream stream, int* priority) {
    return done([&] { return cudaStreamGetPriority(stream, priority); });
}
CUresult cuStreamGetFlags(CUstream stream, unsigned* flags) {
    return done([&] { return cudaStreamGetFlags(stream, flags); });
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn call, void* user_data) {
    return done([&] { return cudaLaunchHostFunc(stream, call, user_data); });
}

#if CUDA_VERSION >= 12000

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
    return done(
        [&] { return cudaStreamBeginCapture(stream, static_cast<cudaStreamCaptureMode>(mode)); });
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* made) {
    return done([&] { return cudaStreamEndCapture(stream, made); });
}
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
    return done([&] {
        return cudaStreamIsCapturing(stream, reinterpret_cast<cudaStreamCaptureStatus*>(status));
    });
}
CUresult cuGraphCreate(CUgraph* made, unsigned flags) {
    return done([&] { return cudaGraphCreate(made, flags); });
}
CUresult cuGraphDestroy(CUgraph graph) {
    return done([&] { return cudaGraphDestroy(graph); });
}
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
    return done([&] { return cudaGraphGetNodes(graph, nodes, count); });
}
CUresult cuGraphInstantiate(CUgraphExec* made, CUgraph graph, unsigned long long flags) {
    return done([&] { return cudaGraphInstantiate(made, graph, flags); });
}
CUresult cuGraphLaunch(CUgraphExec graph, CUstream stream) {
    return done([&] { return cudaGraphLaunch(graph, stream); });
}
CUresult cuGraphUpload(CUgraphExec graph, CUstream stream) {
    return done([&] { return cudaGraphUpload(graph, stream); });
}
CUresult cuGraphExecDestroy(CUgraphExec graph) {
    return done([&] { return cudaGraphExecDestroy(graph); });
}
CUresult cuGraphAddEmptyNode(CUgraphNode* made, CUgraph graph, const CUgraphNode* after,
                             std::size_t count) {
    return done([&] { return cudaGraphAddEmptyNode(made, graph, after, count); });
}
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback call, void* data, unsigned flags) {
    // The status is a number that both APIs share.
    return done([&] {
        return cudaStreamAddCallback(stream, reinterpret_cast<cudaStreamCallback_t>(call), data,
                                     flags);
    });
}

#endif

}  // extern "C"
