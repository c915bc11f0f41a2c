// Memory of graphs: taken at a launch, given back by a node or from outside, one address, what is
// used of it, and launches that find it taken.
#include <cstdint>

#include "check.h"

__global__ void put(int* to, int value) { *to = value; }
__global__ void pass(const int* from, int* to) { *to += *from; }

static std::uint64_t attribute(cudaGraphMemAttributeType which) {
    std::uint64_t bytes = 0;
    OK(cudaDeviceGetGraphMemAttribute(0, which, &bytes));
    return bytes;
}

int main() {
    constexpr std::size_t bytes = 1 << 20;
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    int *out, *inner, *kept;
    OK(cudaMallocManaged(&out, sizeof *out));
    *out = 0;

    // Taken and given back in the graph.
    cudaGraph_t graph, clone;
    cudaGraphExec_t exec;
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(cudaMallocAsync(&inner, bytes, stream));
    put<<<1, 1, 0, stream>>>(inner, 5);
    pass<<<1, 1, 0, stream>>>(inner, out);
    OK(cudaFreeAsync(inner, stream));
    OK(cudaStreamEndCapture(stream, &graph));
    cudaGraphNode_t nodes[4];
    std::size_t count = 4;
    MUST(cudaGraphGetNodes(graph, nodes, &count) == cudaSuccess && count == 4);
    int found = 0;
    for (cudaGraphNode_t node : nodes) {
        cudaGraphNodeType type;
        OK(cudaGraphNodeGetType(node, &type));
        cudaMemAllocNodeParams taken{};
        void* freed = nullptr;
        if (type == cudaGraphNodeTypeMemAlloc) {
            OK(cudaGraphMemAllocNodeGetParams(node, &taken));
            found += taken.dptr == inner && taken.bytesize >= bytes;
        } else if (type == cudaGraphNodeTypeMemFree) {
            OK(cudaGraphMemFreeNodeGetParams(node, &freed));
            found += freed == inner;
        }
    }
    MUST(found == 2);
    MUST(cudaGraphClone(&clone, graph) != cudaSuccess);  // not of such graphs
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; ++i) OK(cudaGraphLaunch(exec, stream));
    MUST(cudaStreamSynchronize(stream) == cudaSuccess && *out == 15);
    MUST(attribute(cudaGraphMemAttrUsedMemCurrent) == 0);
    MUST(attribute(cudaGraphMemAttrUsedMemHigh) >= bytes);
    MUST(cudaGraphExecDestroy(exec) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess);

    // Kept by the graph: whoever uses it gives it back, and the next launch takes it again.
    for (const bool frees_first : {false, true}) {
        OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        OK(cudaMallocAsync(&kept, bytes, stream));
        put<<<1, 1, 0, stream>>>(kept, 7);
        OK(cudaStreamEndCapture(stream, &graph));
        OK(cudaGraphInstantiate(&exec, graph,
                                frees_first ? cudaGraphInstantiateFlagAutoFreeOnLaunch : 0));
        for (int i = 0; i < 2; ++i) {
            OK(cudaGraphLaunch(exec, stream));
            MUST(attribute(cudaGraphMemAttrUsedMemCurrent) >= bytes);
            // Still taken.
            MUST(cudaGraphLaunch(exec, stream) ==
                 (frees_first ? cudaSuccess : cudaErrorInvalidValue));
            *out = 1;
            pass<<<1, 1, 0, stream>>>(kept, out);
            MUST((i == 0 ? cudaFreeAsync(kept, stream) : cudaFree(kept)) == cudaSuccess);
            MUST(cudaStreamSynchronize(stream) == cudaSuccess && *out == 8);
            MUST(attribute(cudaGraphMemAttrUsedMemCurrent) == 0);
            MUST(cudaFree(kept) == cudaErrorInvalidValue);
        }
        MUST(cudaGraphExecDestroy(exec) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess);
    }
    // Graphs that are destroyed leave nothing behind but what is in use still.
    std::size_t before = 0, after = 0, total = 0;
    OK(cudaMemGetInfo(&before, &total));
    for (int i = 0; i < 3; ++i) {
        OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        OK(cudaMallocAsync(&kept, 16 * bytes, stream));
        put<<<1, 1, 0, stream>>>(kept, i);
        OK(cudaStreamEndCapture(stream, &graph));
        OK(cudaGraphInstantiate(&exec, graph, 0));
        OK(cudaGraphLaunch(exec, stream));
        MUST(cudaGraphExecDestroy(exec) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess);
        MUST(cudaMemGetInfo(&after, &total) == cudaSuccess && after + 16 * bytes <= before);
        MUST(cudaMemcpy(out, kept, sizeof *out, cudaMemcpyDefault) == cudaSuccess && *out == i);
        OK(cudaFree(kept));  // whoever has it frees it
        MUST(cudaMemGetInfo(&after, &total) == cudaSuccess && after >= before);
    }
    // What a capture frees must be a graph's.
    int* plain;
    OK(cudaMallocAsync(&plain, bytes, stream));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    MUST(cudaFreeAsync(plain, stream) == cudaErrorInvalidValue);
    cudaStreamEndCapture(stream, &graph);
    OK(cudaFreeAsync(plain, stream));

    // A child with such nodes is moved, and copied by no call.
    cudaGraph_t parent;
    cudaGraphNode_t node;
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(cudaMallocAsync(&inner, bytes, stream));
    put<<<1, 1, 0, stream>>>(inner, 9);
    pass<<<1, 1, 0, stream>>>(inner, out);
    OK(cudaFreeAsync(inner, stream));
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphCreate(&parent, 0));
    MUST(cudaGraphAddChildGraphNode(&node, parent, nullptr, 0, graph) != cudaSuccess);
    cudaGetLastError();
    cudaGraphNodeParams child{};
    child.type = cudaGraphNodeTypeGraph;
    child.graph.graph = graph;
    child.graph.ownership = cudaGraphChildGraphOwnershipMove;
    OK(cudaGraphAddNode(&node, parent, nullptr, nullptr, 0, &child));
    OK(cudaGetLastError());
    OK(cudaGraphInstantiate(&exec, parent, 0));
    *out = 0;
    for (int i = 0; i < 2; ++i) OK(cudaGraphLaunch(exec, stream));
    MUST(cudaStreamSynchronize(stream) == cudaSuccess && *out == 18);
    MUST(cudaGraphExecDestroy(exec) == cudaSuccess && cudaGraphDestroy(parent) == cudaSuccess);

    cudaGetLastError();
    MUST(attribute(cudaGraphMemAttrReservedMemCurrent) >= bytes);
    OK(cudaDeviceGraphMemTrim(0));
    MUST(attribute(cudaGraphMemAttrReservedMemCurrent) == 0);
    std::uint64_t zero = 0, one = 1;
    OK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
    MUST(attribute(cudaGraphMemAttrUsedMemHigh) == 0);
    MUST(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &one) ==
         cudaErrorInvalidValue);
    return verdict();
}
