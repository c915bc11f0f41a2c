// Memory of graphs: taken at a launch, given back by a node or from outside, one address, what is
// used of it, and launches that find it taken.
#include <cstdint>
#include <cstdio>

static int failures = 0;

#define MUST(condition)                                         \
    do {                                                        \
        if (!(condition)) {                                     \
            ++failures;                                         \
            std::printf("line %d: %s\n", __LINE__, #condition); \
        }                                                       \
    } while (0)

__global__ void put(int* to, int value) { *to = value; }
__global__ void pass(const int* from, int* to) { *to += *from; }

static std::uint64_t attribute(cudaGraphMemAttributeType which) {
    std::uint64_t bytes = 0;
    MUST(cudaDeviceGetGraphMemAttribute(0, which, &bytes) == cudaSuccess);
    return bytes;
}

int main() {
    constexpr std::size_t bytes = 1 << 20;
    cudaStream_t stream;
    MUST(cudaStreamCreate(&stream) == cudaSuccess);
    int *out, *inner, *kept;
    MUST(cudaMallocManaged(&out, sizeof *out) == cudaSuccess);
    *out = 0;

    // Taken and given back in the graph.
    cudaGraph_t graph, clone;
    cudaGraphExec_t exec;
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    MUST(cudaMallocAsync(&inner, bytes, stream) == cudaSuccess);
    put<<<1, 1, 0, stream>>>(inner, 5);
    pass<<<1, 1, 0, stream>>>(inner, out);
    MUST(cudaFreeAsync(inner, stream) == cudaSuccess);
    MUST(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    cudaGraphNode_t nodes[4];
    std::size_t count = 4;
    MUST(cudaGraphGetNodes(graph, nodes, &count) == cudaSuccess && count == 4);
    int found = 0;
    for (cudaGraphNode_t node : nodes) {
        cudaGraphNodeType type;
        MUST(cudaGraphNodeGetType(node, &type) == cudaSuccess);
        cudaMemAllocNodeParams taken{};
        void* freed = nullptr;
        if (type == cudaGraphNodeTypeMemAlloc) {
            MUST(cudaGraphMemAllocNodeGetParams(node, &taken) == cudaSuccess);
            found += taken.dptr == inner && taken.bytesize >= bytes;
        } else if (type == cudaGraphNodeTypeMemFree) {
            MUST(cudaGraphMemFreeNodeGetParams(node, &freed) == cudaSuccess);
            found += freed == inner;
        }
    }
    MUST(found == 2);
    MUST(cudaGraphClone(&clone, graph) != cudaSuccess);  // not of such graphs
    MUST(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
    for (int i = 0; i < 3; ++i) MUST(cudaGraphLaunch(exec, stream) == cudaSuccess);
    MUST(cudaStreamSynchronize(stream) == cudaSuccess && *out == 15);
    MUST(attribute(cudaGraphMemAttrUsedMemCurrent) == 0);
    MUST(attribute(cudaGraphMemAttrUsedMemHigh) >= bytes);
    MUST(cudaGraphExecDestroy(exec) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess);

    // Kept by the graph: whoever uses it gives it back, and the next launch takes it again.
    for (const bool frees_first : {false, true}) {
        MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
        MUST(cudaMallocAsync(&kept, bytes, stream) == cudaSuccess);
        put<<<1, 1, 0, stream>>>(kept, 7);
        MUST(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
        MUST(cudaGraphInstantiate(&exec, graph,
                                  frees_first ? cudaGraphInstantiateFlagAutoFreeOnLaunch : 0) ==
             cudaSuccess);
        for (int i = 0; i < 2; ++i) {
            MUST(cudaGraphLaunch(exec, stream) == cudaSuccess);
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
    MUST(cudaMemGetInfo(&before, &total) == cudaSuccess);
    for (int i = 0; i < 3; ++i) {
        MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
        MUST(cudaMallocAsync(&kept, 16 * bytes, stream) == cudaSuccess);
        put<<<1, 1, 0, stream>>>(kept, i);
        MUST(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
        MUST(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
        MUST(cudaGraphLaunch(exec, stream) == cudaSuccess);
        MUST(cudaGraphExecDestroy(exec) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess);
        MUST(cudaMemGetInfo(&after, &total) == cudaSuccess && after + 16 * bytes <= before);
        MUST(cudaMemcpy(out, kept, sizeof *out, cudaMemcpyDefault) == cudaSuccess && *out == i);
        MUST(cudaFree(kept) == cudaSuccess);  // whoever has it frees it
        MUST(cudaMemGetInfo(&after, &total) == cudaSuccess && after >= before);
    }
    // What a capture frees must be a graph's.
    int* plain;
    MUST(cudaMallocAsync(&plain, bytes, stream) == cudaSuccess);
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    MUST(cudaFreeAsync(plain, stream) == cudaErrorInvalidValue);
    cudaStreamEndCapture(stream, &graph);
    MUST(cudaFreeAsync(plain, stream) == cudaSuccess);

    // A child with such nodes is moved, and copied by no call.
    cudaGraph_t parent;
    cudaGraphNode_t node;
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    MUST(cudaMallocAsync(&inner, bytes, stream) == cudaSuccess);
    put<<<1, 1, 0, stream>>>(inner, 9);
    pass<<<1, 1, 0, stream>>>(inner, out);
    MUST(cudaFreeAsync(inner, stream) == cudaSuccess);
    MUST(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    MUST(cudaGraphCreate(&parent, 0) == cudaSuccess);
    MUST(cudaGraphAddChildGraphNode(&node, parent, nullptr, 0, graph) != cudaSuccess);
    cudaGetLastError();
    cudaGraphNodeParams child{};
    child.type = cudaGraphNodeTypeGraph;
    child.graph.graph = graph;
    child.graph.ownership = cudaGraphChildGraphOwnershipMove;
    MUST(cudaGraphAddNode(&node, parent, nullptr, nullptr, 0, &child) == cudaSuccess);
    MUST(cudaGetLastError() == cudaSuccess);
    MUST(cudaGraphInstantiate(&exec, parent, 0) == cudaSuccess);
    *out = 0;
    for (int i = 0; i < 2; ++i) MUST(cudaGraphLaunch(exec, stream) == cudaSuccess);
    MUST(cudaStreamSynchronize(stream) == cudaSuccess && *out == 18);
    MUST(cudaGraphExecDestroy(exec) == cudaSuccess && cudaGraphDestroy(parent) == cudaSuccess);

    cudaGetLastError();
    MUST(attribute(cudaGraphMemAttrReservedMemCurrent) >= bytes);
    MUST(cudaDeviceGraphMemTrim(0) == cudaSuccess);
    MUST(attribute(cudaGraphMemAttrReservedMemCurrent) == 0);
    std::uint64_t zero = 0, one = 1;
    MUST(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero) == cudaSuccess);
    MUST(attribute(cudaGraphMemAttrUsedMemHigh) == 0);
    MUST(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &one) ==
         cudaErrorInvalidValue);
    return failures == 0 ? 0 : 1;
}
