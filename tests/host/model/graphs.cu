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
    MUST(cudaGraphLaunch(exec, 0) == cudaSuccess);
    MUST(out[7] == 70);  // arguments are those of the node's making
    MUST(cudaGraphExecKernelNodeSetParams(exec, added, &kernel) == cudaSuccess);
    MUST(cudaGraphLaunch(exec, 0) == cudaSuccess);
    MUST(out[7] == 100);
    MUST(cudaGraphExecDestroy(exec) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess);
}

int main() {
    int *x, *y;
    cudaMalloc(&x, n * sizeof(int));
    cudaMalloc(&y, n * sizeof(int));
    captured_from_one(x);
    captured_from_two(x, y);
    built(x);
    cudaFree(x), cudaFree(y);
    std::printf("%d failures\n", failures);
    return failures != 0;
}
