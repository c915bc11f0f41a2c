// Graphs: captured from one stream and from two, built of nodes, launched again, updated; and what
// a capture refuses.
#include <cstdio>
#include <vector>

static int failures = 0;

#define MUST(condition)                                         \
    do {                                                        \
        if (!(condition)) {                                     \
            ++failures;                                         \
            std::printf("line %d: %s\n", __LINE__, #condition); \
        }                                                       \
    } while (0)

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
    MUST(cudaMemcpy(out.data(), x, n * sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess);
    return out;
}

static void captured_from_one(int* x) {
    cudaStream_t stream;
    MUST(cudaStreamCreate(&stream) == cudaSuccess);
    cudaMemset(x, 0, n * sizeof(int));
    std::vector<int> out(n, -1);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    int amount = 3;
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    cudaStreamCaptureStatus status;
    MUST(cudaStreamIsCapturing(stream, &status) == cudaSuccess);
    MUST(status == cudaStreamCaptureStatusActive);
    add<<<3, 100, 0, stream>>>(x, n, amount);
    amount = 1000;  // the graph has a copy
    scale<<<3, 100, 0, stream>>>(x, n, 2);
    MUST(cudaMemcpyAsync(out.data(), x, n * sizeof(int), cudaMemcpyDeviceToHost, stream) ==
         cudaSuccess);
    MUST(cudaStreamEndCapture(stream, &graph) == cudaSuccess && graph != nullptr);
    MUST(out[5] == -1);  // nothing has run
    MUST(values(x)[5] == 0);
    size_t nodes = 0;
    MUST(cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess && nodes == 3);
    MUST(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
    for (int i = 0; i < 3; ++i) MUST(cudaGraphLaunch(exec, stream) == cudaSuccess);
    MUST(cudaStreamSynchronize(stream) == cudaSuccess);
    MUST(out[5] == ((3 * 2 + 3) * 2 + 3) * 2);
    MUST(cudaGraphExecDestroy(exec) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess);
    MUST(cudaStreamDestroy(stream) == cudaSuccess);
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
    MUST(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal) == cudaSuccess);
    add<<<3, 100, 0, a>>>(x, n, 1);
    MUST(cudaEventRecord(fork, a) == cudaSuccess);
    MUST(cudaStreamWaitEvent(b, fork, 0) == cudaSuccess);
    add<<<3, 100, 0, b>>>(y, n, 7);
    MUST(cudaEventRecord(join, b) == cudaSuccess);
    MUST(cudaStreamWaitEvent(a, join, 0) == cudaSuccess);
    scale<<<3, 100, 0, a>>>(y, n, 3);
    MUST(cudaStreamEndCapture(a, &graph) == cudaSuccess);
    size_t edges = 0;
    MUST(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges) == cudaSuccess && edges == 3);
    MUST(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
    MUST(cudaGraphLaunch(exec, a) == cudaSuccess);
    MUST(values(x)[9] == 1 && values(y)[9] == 21);
    cudaGraphExecDestroy(exec), cudaGraphDestroy(graph);
    // Without the join.
    MUST(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal) == cudaSuccess);
    cudaEventRecord(fork, a);
    cudaStreamWaitEvent(b, fork, 0);
    add<<<3, 100, 0, b>>>(y, n, 7);
    MUST(cudaStreamEndCapture(a, &graph) == cudaErrorStreamCaptureUnjoined);
    // A call that waits.
    MUST(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal) == cudaSuccess);
    MUST(cudaStreamSynchronize(a) == cudaErrorStreamCaptureUnsupported);
    MUST(cudaStreamEndCapture(a, &graph) == cudaErrorStreamCaptureInvalidated);
    MUST(cudaStreamSynchronize(a) == cudaSuccess);
    cudaGetLastError();
    cudaEventDestroy(fork), cudaEventDestroy(join);
    cudaStreamDestroy(a), cudaStreamDestroy(b);
}

static void built(int* x) {
    cudaGraph_t graph;
    MUST(cudaGraphCreate(&graph, 0) == cudaSuccess);
    cudaGraphNode_t set, added, scaled, copied, called;
    cudaMemsetParams zero = {};
    zero.dst = x;
    zero.value = 2;
    zero.elementSize = sizeof(int);
    zero.width = n;
    zero.height = 1;
    MUST(cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &zero) == cudaSuccess);
    int count = n, amount = 5, factor = 10;
    void* add_arguments[] = {&x, &count, &amount};
    void* scale_arguments[] = {&x, &count, &factor};
    cudaKernelNodeParams kernel = {};
    kernel.func = reinterpret_cast<void*>(scale);
    kernel.gridDim = dim3(3);
    kernel.blockDim = dim3(100);
    kernel.kernelParams = scale_arguments;
    // The node that runs later is made first.
    MUST(cudaGraphAddKernelNode(&scaled, graph, nullptr, 0, &kernel) == cudaSuccess);
    kernel.func = reinterpret_cast<void*>(add);
    kernel.kernelParams = add_arguments;
    MUST(cudaGraphAddKernelNode(&added, graph, &set, 1, &kernel) == cudaSuccess);
    MUST(cudaGraphAddDependencies(graph, &added, &scaled, nullptr, 1) == cudaSuccess);
    static int out[n];
    static bool was_called = false;
    MUST(cudaGraphAddMemcpyNode1D(&copied, graph, &scaled, 1, out, x, sizeof out,
                                  cudaMemcpyDeviceToHost) == cudaSuccess);
    cudaHostNodeParams host = {};
    host.fn = [](void* p) { *static_cast<bool*>(p) = out[7] == 70; };
    host.userData = &was_called;
    MUST(cudaGraphAddHostNode(&called, graph, &copied, 1, &host) == cudaSuccess);
    cudaGraphExec_t exec;
    MUST(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
    MUST(cudaGraphLaunch(exec, 0) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess);
    MUST(out[7] == 70 && was_called);
    amount = 8;
    MUST(cudaGraphLaunch(exec, 0) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess);
    MUST(out[7] == 70);  // arguments are those of the node's making
    cudaKernelNodeParams told = {};
    MUST(cudaGraphKernelNodeGetParams(added, &told) == cudaSuccess);
    MUST(told.func == reinterpret_cast<void*>(add) && told.gridDim.x == 3);
    MUST(told.kernelParams != add_arguments && *static_cast<int*>(told.kernelParams[2]) == 5);
    MUST(cudaGraphExecKernelNodeSetParams(exec, added, &kernel) == cudaSuccess);
    MUST(cudaGraphLaunch(exec, 0) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess);
    MUST(out[7] == 100);
    MUST(cudaGraphExecDestroy(exec) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess);
}

// Events that stay outside of the graph are nodes of it: recorded at each launch.
static void external_events(int* x) {
    cudaStream_t stream;
    cudaEvent_t begin, end;
    MUST(cudaStreamCreate(&stream) == cudaSuccess);
    MUST(cudaEventCreate(&begin) == cudaSuccess && cudaEventCreate(&end) == cudaSuccess);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    MUST(cudaEventRecordWithFlags(begin, stream, cudaEventRecordExternal) == cudaSuccess);
    add<<<1, 100, 0, stream>>>(x, n, 1);
    MUST(cudaStreamWaitEvent(stream, begin, cudaEventWaitExternal) == cudaSuccess);
    MUST(cudaEventRecordWithFlags(end, stream, cudaEventRecordExternal) == cudaSuccess);
    MUST(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
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
    MUST(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
    MUST(cudaGraphLaunch(exec, stream) == cudaSuccess);
    MUST(cudaEventSynchronize(end) == cudaSuccess);
    MUST(cudaEventElapsedTime(&time, begin, end) == cudaSuccess && time >= 0);
}

// Two captures must not meet: what would depend on the other's work fails both.
static void captures_that_meet(int* x) {
    cudaStream_t a, b;
    cudaEvent_t event;
    MUST(cudaStreamCreate(&a) == cudaSuccess && cudaStreamCreate(&b) == cudaSuccess);
    MUST(cudaEventCreate(&event) == cudaSuccess);
    cudaGraph_t graph = nullptr;
    MUST(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed) == cudaSuccess);
    MUST(cudaStreamBeginCapture(b, cudaStreamCaptureModeRelaxed) == cudaSuccess);
    add<<<1, 100, 0, a>>>(x, n, 1);
    MUST(cudaEventRecord(event, a) == cudaSuccess);
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
    MUST(cudaStreamCreate(&stream) == cudaSuccess);
    MUST(cudaMallocArray(&array, &format, 8, 2) == cudaSuccess);
    MUST(cudaMemset(x, 0, n * sizeof(int)) == cudaSuccess);
    static int out[16];
    const std::size_t row = 8 * sizeof(int);
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    MUST(cudaMemset2DAsync(x, row, 1, row, 2, stream) == cudaSuccess);
    MUST(cudaMemset3DAsync(make_cudaPitchedPtr(x + 16, row, row, 2), 2, make_cudaExtent(row, 2, 1),
                           stream) == cudaSuccess);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(x, row, row, 2);
    copy.dstPtr = make_cudaPitchedPtr(x + 32, row, row, 2);
    copy.extent = make_cudaExtent(row, 2, 1);
    copy.kind = cudaMemcpyDeviceToDevice;
    MUST(cudaMemcpy3DAsync(&copy, stream) == cudaSuccess);
    copy = {};  // the graph has its own
    MUST(cudaMemcpyPeerAsync(x + 48, 0, x + 16, 0, 2 * row, stream) == cudaSuccess);
    MUST(cudaMemcpy2DToArrayAsync(array, 0, 0, x + 32, row, row, 2, cudaMemcpyDeviceToDevice,
                                  stream) == cudaSuccess);
    MUST(cudaMemcpy2DFromArrayAsync(out, row, array, 0, 0, row, 2, cudaMemcpyDeviceToHost,
                                    stream) == cudaSuccess);
    MUST(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    for (int value : values(x)) MUST(value == 0);
    MUST(out[0] == 0);
    std::size_t nodes = 0;
    MUST(cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess && nodes == 6);
    MUST(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
    MUST(cudaGraphLaunch(exec, stream) == cudaSuccess);
    MUST(cudaStreamSynchronize(stream) == cudaSuccess);
    const std::vector<int> got = values(x);
    for (int i = 0; i < 64; ++i) MUST(got[i] == (i / 16 % 2 == 0 ? 0x01010101 : 0x02020202));
    for (int value : out) MUST(value == 0x01010101);
}

// Values of two and four bytes, in rows of a pitch.
static void memsets(int* x) {
    MUST(cudaMemset(x, 0, 100 * sizeof(int)) == cudaSuccess);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    MUST(cudaGraphCreate(&graph, 0) == cudaSuccess);
    cudaMemsetParams set = {};
    set.dst = x;
    set.elementSize = 4;
    set.value = 0x01020304;
    set.width = 3;
    set.height = 2;
    set.pitch = 5 * sizeof(int);
    cudaGraphNode_t first, second;
    MUST(cudaGraphAddMemsetNode(&first, graph, nullptr, 0, &set) == cudaSuccess);
    set.dst = x + 20;
    set.elementSize = 2;
    set.value = 0xabcd;
    set.height = 1;
    MUST(cudaGraphAddMemsetNode(&second, graph, nullptr, 0, &set) == cudaSuccess);
    MUST(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
    MUST(cudaGraphLaunch(exec, 0) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess);
    int got[100];
    MUST(cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (int i = 0; i < 20; ++i) MUST(got[i] == (i % 5 < 3 && i < 10 ? 0x01020304 : 0));
    int* pinned = nullptr;
    MUST(cudaMallocHost(&pinned, 3 * sizeof(int)) == cudaSuccess);
    set.dst = pinned;
    set.elementSize = 4;
    set.value = 9;
    MUST(cudaGraphExecMemsetNodeSetParams(exec, second, &set) == cudaSuccess);
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
    std::printf("%d failures\n", failures);
    return failures != 0;
}
