// What is told of managed memory by parts of an allocation; streams' identifiers and priorities; a
// pool's limit; edges of launches that may overlap; and the driver's calls by name.
#include <cuda.h>

#include "check.h"

static int attribute(cudaMemRangeAttribute which, const void* p, std::size_t bytes) {
    int value = -9;
    OK(cudaMemRangeGetAttribute(&value, sizeof value, which, p, bytes));
    return value;
}

__global__ void step(int* x) { *x += 1; }

int main() {
    constexpr std::size_t bytes = 1 << 20;
    char* p;
    cudaMallocManaged(&p, bytes);
    const cudaMemLocation device{cudaMemLocationTypeDevice, 0}, host{cudaMemLocationTypeHost, 0};
    OK(cudaMemAdvise(p, bytes / 2, cudaMemAdviseSetReadMostly, device));
    OK(cudaMemAdvise(p, bytes, cudaMemAdviseSetPreferredLocation, device));
    OK(cudaMemAdvise(p, bytes, cudaMemAdviseSetAccessedBy, host));
    MUST(attribute(cudaMemRangeAttributeReadMostly, p, bytes / 2) == 1);
    MUST(attribute(cudaMemRangeAttributeReadMostly, p + 4096, 4096) == 1);
    MUST(attribute(cudaMemRangeAttributeReadMostly, p, bytes) == 0);
    MUST(attribute(cudaMemRangeAttributeReadMostly, p + bytes / 2, 4096) == 0);
    MUST(attribute(cudaMemRangeAttributePreferredLocation, p, bytes) == 0);
    OK(cudaMemAdvise(p, 4096, cudaMemAdviseSetPreferredLocation, host));
    MUST(attribute(cudaMemRangeAttributePreferredLocation, p, bytes) == cudaInvalidDeviceId);
    MUST(attribute(cudaMemRangeAttributePreferredLocation, p, 4096) == cudaCpuDeviceId);
    int by[3];
    OK(cudaMemAdvise(p, bytes, cudaMemAdviseSetAccessedBy, device));
    OK(cudaMemRangeGetAttribute(by, sizeof by, cudaMemRangeAttributeAccessedBy, p, bytes));
    MUST(by[0] == 0 && by[1] == cudaCpuDeviceId && by[2] == cudaInvalidDeviceId);
    OK(cudaMemPrefetchAsync(p, bytes / 2, device, 0, nullptr));
    MUST(attribute(cudaMemRangeAttributeLastPrefetchLocation, p, bytes / 2) == 0);
    MUST(attribute(cudaMemRangeAttributeLastPrefetchLocation, p, bytes) == cudaInvalidDeviceId);
    // Another allocation knows nothing of it.
    cudaFree(p);
    cudaMallocManaged(&p, bytes);
    MUST(attribute(cudaMemRangeAttributeReadMostly, p, bytes / 2) == 0);
    MUST(cudaMemAdvise(p, bytes + 1, cudaMemAdviseSetReadMostly, device) == cudaErrorInvalidValue);
    MUST(cudaGetLastError() == cudaErrorInvalidValue);

    unsigned long long before = 0, id = 0;
    for (int i = 0; i < 3; ++i) {
        cudaStream_t stream;
        int priority = 1;
        OK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -100));
        MUST(cudaStreamGetPriority(stream, &priority) == cudaSuccess && priority == -5);
        MUST(cudaStreamGetId(stream, &id) == cudaSuccess && id > before);
        before = id;
        cudaStreamDestroy(stream);
    }

    cudaMemPoolProps props{};
    props.allocType = cudaMemAllocationTypePinned;
    props.location = device;
    props.maxSize = 64 << 20;
    cudaMemPool_t pool;
    void *first, *second;
    OK(cudaMemPoolCreate(&pool, &props));
    OK(cudaMallocFromPoolAsync(&first, 48 << 20, pool, nullptr));
    MUST(cudaMallocFromPoolAsync(&second, 48 << 20, pool, nullptr) == cudaErrorMemoryAllocation);
    MUST(cudaGetLastError() == cudaErrorMemoryAllocation);
    OK(cudaFreeAsync(first, nullptr));
    OK(cudaMallocFromPoolAsync(&second, 48 << 20, pool, nullptr));
    cudaFreeAsync(second, nullptr);

    // The second launch may begin before the first has ended; the third waits.
    int* x;
    cudaMallocManaged(&x, sizeof *x);
    *x = 0;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaLaunchConfig_t config{};
    config.gridDim = config.blockDim = dim3(1);
    config.stream = stream;
    cudaLaunchAttribute overlaps{};
    overlaps.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlaps.val.programmaticStreamSerializationAllowed = 1;
    config.attrs = &overlaps;
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    for (int i = 0; i < 3; ++i) {
        config.numAttrs = i == 1 ? 1 : 0;
        OK(cudaLaunchKernelEx(&config, step, x));
    }
    OK(cudaStreamEndCapture(stream, &graph));
    cudaGraphNode_t from[2], to[2];
    cudaGraphEdgeData edges[2];
    std::size_t count = 2;
    cudaGraph_t clone;
    OK(cudaGraphClone(&clone, graph));
    MUST(cudaGraphGetEdges(clone, from, to, edges, &count) == cudaSuccess && count == 2);
    const int one = from[0] == to[1] ? 1 : 0;  // which edge comes first
    MUST(edges[one].type == cudaGraphDependencyTypeProgrammatic);
    MUST(edges[one].from_port == cudaGraphKernelNodePortProgrammatic);
    MUST(edges[1 - one].type == cudaGraphDependencyTypeDefault);

    for (const char* name :
         {"cuMemAddressFree", "cuTensorMapEncodeTiled", "cuStreamCreateWithPriority"}) {
        void* call = nullptr;
        cudaDriverEntryPointQueryResult found;
        OK(cudaGetDriverEntryPointByVersion(name, &call, 12000, cudaEnableDefault, &found));
        MUST(found == cudaDriverEntryPointSuccess && call != nullptr);
    }
    return verdict();
}
