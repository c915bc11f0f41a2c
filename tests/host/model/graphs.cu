// Graphs: captured from one stream and from two, built of nodes, launched again, updated; and what
// a capture refuses.
#include "check.h"

__global__ void add(int* x, int n, int amount) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += amount;
}
__global__ void scale(int* x, int n, int factor) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}

constexpr int n = 300;

static std::vector<int> values(const int* x) {
    std::vector<int> out(n);
    OK(cudaMemcpy(out.data(), x, n * sizeof(int), cudaMemcpyDeviceToHost));
    return out;
}

static void captured_from_one(int* x) {
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    cudaMemset(x, 0, n * sizeof(int));
    std::vector<int> out(n, -1);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    int amount = 3;
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    cudaStreamCaptureStatus status;
    OK(cudaStreamIsCapturing(stream, &status));
    MUST(status == cudaStreamCaptureStatusActive);
    add<<<3, 100, 0, stream>>>(x, n, amount);
    amount = 1000;  // the graph has a copy
    scale<<<3, 100, 0, stream>>>(x, n, 2);
    OK(cudaMemcpyAsync(out.data(), x, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    MUST(cudaStreamEndCapture(stream, &graph) == cudaSuccess && graph != nullptr);
    MUST(out[5] == -1);  // nothing has run
    MUST(values(x)[5] == 0);
    size_t nodes = 0;
    MUST(cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess && nodes == 3);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; ++i) OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    MUST(out[5] == ((3 * 2 + 3) * 2 + 3) * 2);
    MUST(cudaGraphExecDestroy(exec) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess);
    OK(cudaStreamDestroy(stream));
}

static void captured_from_two(int* x, int* y) {
    cudaStream_t a, b;
    cudaEvent_t fork, join;
    cudaStreamCreate(&a), cudaStreamCreate(&b);
    cudaEventCreate(&fork), cudaEventCreate(&join);
    cudaMemset(x, 0, n * sizeof(int));
    cudaMemset(y, 0, n * sizeof(int));
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    add<<<3, 100, 0, a>>>(x, n, 1);
    OK(cudaEventRecord(fork, a));
    OK(cudaStreamWaitEvent(b, fork, 0));
    add<<<3, 100, 0, b>>>(y, n, 7);
    OK(cudaEventRecord(join, b));
    OK(cudaStreamWaitEvent(a, join, 0));
    scale<<<3, 100, 0, a>>>(y, n, 3);
    OK(cudaStreamEndCapture(a, &graph));
    size_t edges = 0;
    MUST(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges) == cudaSuccess && edges == 3);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, a));
    MUST(values(x)[9] == 1 && values(y)[9] == 21);
    cudaGraphExecDestroy(exec), cudaGraphDestroy(graph);
    // Without the join.
    OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    cudaEventRecord(fork, a);
    cudaStreamWaitEvent(b, fork, 0);
    add<<<3, 100, 0, b>>>(y, n, 7);
    MUST(cudaStreamEndCapture(a, &graph) == cudaErrorStreamCaptureUnjoined);
    // A call that waits.
    OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    MUST(cudaStreamSynchronize(a) == cudaErrorStreamCaptureUnsupported);
    MUST(cudaStreamEndCapture(a, &graph) == cudaErrorStreamCaptureInvalidated);
    OK(cudaStreamSynchronize(a));
    cudaGetLastError();
    cudaEventDestroy(fork), cudaEventDestroy(join);
    cudaStreamDestroy(a), cudaStreamDestroy(b);
}

static void built(int* x) {
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t set, added, scaled, copied, called;
    cudaMemsetParams zero = {};
    zero.dst = x;
    zero.value = 2;
    zero.elementSize = sizeof(int);
    zero.width = n;
    zero.height = 1;
    OK(cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &zero));
    int count = n, amount = 5, factor = 10;
    void* add_arguments[] = {&x, &count, &amount};
    void* scale_arguments[] = {&x, &count, &factor};
    cudaKernelNodeParams kernel = {};
    kernel.func = reinterpret_cast<void*>(scale);
    kernel.gridDim = dim3(3);
    kernel.blockDim = dim3(100);
    kernel.kernelParams = scale_arguments;
    // The node that runs later is made first.
    OK(cudaGraphAddKernelNode(&scaled, graph, nullptr, 0, &kernel));
    kernel.func = reinterpret_cast<void*>(add);
    kernel.kernelParams = add_arguments;
    OK(cudaGraphAddKernelNode(&added, graph, &set, 1, &kernel));
    OK(cudaGraphAddDependencies(graph, &added, &scaled, nullptr, 1));
    static int out[n];
    static bool was_called = false;
    OK(cudaGraphAddMemcpyNode1D(&copied, graph, &scaled, 1, out, x, sizeof out,
                                cudaMemcpyDeviceToHost));
    cudaHostNodeParams host = {};
    host.fn = [](void* p) { *static_cast<bool*>(p) = out[7] == 70; };
    host.userData = &was_called;
    OK(cudaGraphAddHostNode(&called, graph, &copied, 1, &host));
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphLaunch(exec, 0) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess);
    MUST(out[7] == 70 && was_called);
    amount = 8;
    MUST(cudaGraphLaunch(exec, 0) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess);
    MUST(out[7] == 70);  // arguments are those of the node's making
    cudaKernelNodeParams told = {};
    OK(cudaGraphKernelNodeGetParams(added, &told));
    MUST(told.func == reinterpret_cast<void*>(add) && told.gridDim.x == 3);
    MUST(told.kernelParams != add_arguments && *static_cast<int*>(told.kernelParams[2]) == 5);
    OK(cudaGraphExecKernelNodeSetParams(exec, added, &kernel));
    MUST(cudaGraphLaunch(exec, 0) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess);
    MUST(out[7] == 100);
    MUST(cudaGraphExecDestroy(exec) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess);
}

// Events that stay outside of the graph are nodes of it: recorded at each launch.
static void external_events(int* x) {
    cudaStream_t stream;
    cudaEvent_t begin, end;
    OK(cudaStreamCreate(&stream));
    MUST(cudaEventCreate(&begin) == cudaSuccess && cudaEventCreate(&end) == cudaSuccess);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(cudaEventRecordWithFlags(begin, stream, cudaEventRecordExternal));
    add<<<1, 100, 0, stream>>>(x, n, 1);
    OK(cudaStreamWaitEvent(stream, begin, cudaEventWaitExternal));
    OK(cudaEventRecordWithFlags(end, stream, cudaEventRecordExternal));
    OK(cudaStreamEndCapture(stream, &graph));
    cudaGraphNode_t nodes[9];
    std::size_t count = 9;
    MUST(cudaGraphGetNodes(graph, nodes, &count) == cudaSuccess && count == 4);
    const cudaGraphNodeType wanted[] = {cudaGraphNodeTypeEventRecord, cudaGraphNodeTypeKernel,
                                        cudaGraphNodeTypeWaitEvent, cudaGraphNodeTypeEventRecord};
    for (std::size_t i = 0; i < count; ++i) {
        cudaGraphNodeType type;
        MUST(cudaGraphNodeGetType(nodes[i], &type) == cudaSuccess && type == wanted[i]);
    }
    float time = -1;
    MUST(cudaEventElapsedTime(&time, begin, end) != cudaSuccess);  // not recorded yet
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaEventSynchronize(end));
    MUST(cudaEventElapsedTime(&time, begin, end) == cudaSuccess && time >= 0);
}

// Two captures must not meet: what would depend on the other's work fails both.
static void captures_that_meet(int* x) {
    cudaStream_t a, b;
    cudaEvent_t event;
    MUST(cudaStreamCreate(&a) == cudaSuccess && cudaStreamCreate(&b) == cudaSuccess);
    OK(cudaEventCreate(&event));
    cudaGraph_t graph = nullptr;
    OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
    OK(cudaStreamBeginCapture(b, cudaStreamCaptureModeRelaxed));
    add<<<1, 100, 0, a>>>(x, n, 1);
    OK(cudaEventRecord(event, a));
    cudaStreamWaitEvent(b, event, 0);
    add<<<1, 100, 0, b>>>(x, n, 1);
    MUST(cudaStreamEndCapture(b, &graph) != cudaSuccess);
    MUST(cudaStreamEndCapture(a, &graph) != cudaSuccess);
    MUST(cudaGetLastError() != cudaSuccess);
}

// Copies and sets of rows and volumes are captured as plain ones are.
static void captured_rows(int* x) {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaArray_t array;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    OK(cudaStreamCreate(&stream));
    OK(cudaMallocArray(&array, &format, 8, 2));
    OK(cudaMemset(x, 0, n * sizeof(int)));
    static int out[16];
    const std::size_t row = 8 * sizeof(int);
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(cudaMemset2DAsync(x, row, 1, row, 2, stream));
    OK(cudaMemset3DAsync(make_cudaPitchedPtr(x + 16, row, row, 2), 2, make_cudaExtent(row, 2, 1),
                         stream));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(x, row, row, 2);
    copy.dstPtr = make_cudaPitchedPtr(x + 32, row, row, 2);
    copy.extent = make_cudaExtent(row, 2, 1);
    copy.kind = cudaMemcpyDeviceToDevice;
    OK(cudaMemcpy3DAsync(&copy, stream));
    copy = {};  // the graph has its own
    OK(cudaMemcpyPeerAsync(x + 48, 0, x + 16, 0, 2 * row, stream));
    OK(cudaMemcpy2DToArrayAsync(array, 0, 0, x + 32, row, row, 2, cudaMemcpyDeviceToDevice,
                                stream));
    OK(cudaMemcpy2DFromArrayAsync(out, row, array, 0, 0, row, 2, cudaMemcpyDeviceToHost, stream));
    OK(cudaStreamEndCapture(stream, &graph));
    for (int value : values(x)) MUST(value == 0);
    MUST(out[0] == 0);
    std::size_t nodes = 0;
    MUST(cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess && nodes == 6);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    const std::vector<int> got = values(x);
    for (int i = 0; i < 64; ++i) MUST(got[i] == (i / 16 % 2 == 0 ? 0x01010101 : 0x02020202));
    for (int value : out) MUST(value == 0x01010101);
}

// Values of two and four bytes, in rows of a pitch.
static void memsets(int* x) {
    OK(cudaMemset(x, 0, 100 * sizeof(int)));
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    OK(cudaGraphCreate(&graph, 0));
    cudaMemsetParams set = {};
    set.dst = x;
    set.elementSize = 4;
    set.value = 0x01020304;
    set.width = 3;
    set.height = 2;
    set.pitch = 5 * sizeof(int);
    cudaGraphNode_t first, second;
    OK(cudaGraphAddMemsetNode(&first, graph, nullptr, 0, &set));
    set.dst = x + 20;
    set.elementSize = 2;
    set.value = 0xabcd;
    set.height = 1;
    OK(cudaGraphAddMemsetNode(&second, graph, nullptr, 0, &set));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphLaunch(exec, 0) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess);
    int got[100];
    OK(cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 20; ++i) MUST(got[i] == (i % 5 < 3 && i < 10 ? 0x01020304 : 0));
    int* pinned = nullptr;
    OK(cudaMallocHost(&pinned, 3 * sizeof(int)));
    set.dst = pinned;
    set.elementSize = 4;
    set.value = 9;
    OK(cudaGraphExecMemsetNodeSetParams(exec, second, &set));
    MUST(cudaGraphLaunch(exec, 0) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess);
    MUST(pinned[0] == 9 && pinned[2] == 9);
    MUST(got[20] == static_cast<int>(0xabcdabcd) && got[21] == 0xabcd && got[22] == 0);
}

int main() {
    int *x, *y;
    cudaMalloc(&x, n * sizeof(int));
    cudaMalloc(&y, n * sizeof(int));
    captured_from_one(x);
    captured_from_two(x, y);
    built(x);
    external_events(x);
    captures_that_meet(x);
    captured_rows(x);
    memsets(x);
    cudaFree(x), cudaFree(y);
    return verdict();
}
