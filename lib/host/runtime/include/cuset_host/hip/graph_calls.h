// Calls of HIP's graphs, which have no data of edges as CUDA 13's have.
#pragma once

#include "cuset_host/cuda_types.h"

inline cudaError_t hipGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph,
                                       cudaGraphNode_t* wrong = nullptr, char* text = nullptr,
                                       size_t size = 0) {
    if (wrong != nullptr) *wrong = nullptr;
    if (text != nullptr && size > 0) *text = '\0';
    return ::cudaGraphInstantiate(made, graph, 0);
}

#if CUDART_VERSION >= 13000
inline cudaError_t hipGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                           const cudaGraphNode_t* to, size_t count) {
    return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}
inline cudaError_t hipGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                              const cudaGraphNode_t* to, size_t count) {
    return cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
}
inline cudaError_t hipGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                    size_t* count) {
    return cudaGraphGetEdges(graph, from, to, nullptr, count);
}
inline cudaError_t hipGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                               size_t* count) {
    return cudaGraphNodeGetDependencies(node, nodes, nullptr, count);
}
inline cudaError_t hipGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                                 size_t* count) {
    return cudaGraphNodeGetDependentNodes(node, nodes, nullptr, count);
}
inline cudaError_t hipStreamGetCaptureInfo_v2(cudaStream_t stream,
                                              cudaStreamCaptureStatus* status,
                                              unsigned long long* id = nullptr,
                                              cudaGraph_t* graph = nullptr,
                                              const cudaGraphNode_t** nodes = nullptr,
                                              size_t* count = nullptr) {
    return cudaStreamGetCaptureInfo(stream, status, id, graph, nodes, nullptr, count);
}
inline cudaError_t hipStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes,
                                                      size_t count, unsigned flags = 0) {
    return cudaStreamUpdateCaptureDependencies(stream, nodes, nullptr, count, flags);
}
#else
#define hipGraphAddDependencies cudaGraphAddDependencies
#define hipGraphRemoveDependencies cudaGraphRemoveDependencies
#define hipGraphGetEdges cudaGraphGetEdges
#define hipGraphNodeGetDependencies cudaGraphNodeGetDependencies
#define hipGraphNodeGetDependentNodes cudaGraphNodeGetDependentNodes
#define hipStreamGetCaptureInfo_v2 cudaStreamGetCaptureInfo_v2
#define hipStreamUpdateCaptureDependencies cudaStreamUpdateCaptureDependencies
#endif
inline cudaError_t hipStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                           unsigned long long* id) {
    return hipStreamGetCaptureInfo_v2(stream, status, id);
}
