// right: what orders the nodes of graphs. A way over an empty and a disabled node, child graphs
// between nodes, a captured fork and join, launches of one executable graph in two streams (each
// waits for the one before), events that graphs record and wait for, and a loop's body.
#include "checked_calls.h"

const int N = 1024, BLOCK = 128;

__global__ void add(int *a, int by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] += by;
}
__global__ void twice(int *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] *= 2;
}
__global__ void half(int *a, int first) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[first + i] += 7;
}

static cudaKernelNodeParams kernel(void *function, void **args, int grid) {
    cudaKernelNodeParams p = {};
    p.func = function;
    p.gridDim = dim3(grid);
    p.blockDim = dim3(BLOCK);
    p.kernelParams = args;
    return p;
}

int main() {
    int *a, by = 3, low = 0, high = N / 2;
    CHECK(cudaMalloc(&a, N * sizeof(int)));
    CHECK(cudaMemset(a, 0, N * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    void *add_args[] = {&a, &by}, *twice_args[] = {&a};
    void *low_args[] = {&a, &low}, *high_args[] = {&a, &high};
    const cudaKernelNodeParams adds = kernel((void *)add, add_args, N / BLOCK),
                               doubles = kernel((void *)twice, twice_args, N / BLOCK),
                               lows = kernel((void *)half, low_args, N / BLOCK / 2),
                               highs = kernel((void *)half, high_args, N / BLOCK / 2);
    // A child whose two nodes have halves of their own.
    cudaGraph_t inner, graph;
    cudaGraphNode_t node[8];
    CHECK(cudaGraphCreate(&inner, 0));
    CHECK(cudaGraphAddKernelNode(&node[0], inner, nullptr, 0, &lows));
    CHECK(cudaGraphAddKernelNode(&node[1], inner, nullptr, 0, &highs));
    // add, empty, disabled, twice, child, child, add.
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddKernelNode(&node[0], graph, nullptr, 0, &adds));
    CHECK(cudaGraphAddEmptyNode(&node[1], graph, &node[0], 1));
    CHECK(cudaGraphAddKernelNode(&node[2], graph, &node[1], 1, &doubles));
    CHECK(cudaGraphAddKernelNode(&node[3], graph, &node[2], 1, &doubles));
    CHECK(cudaGraphAddChildGraphNode(&node[4], graph, &node[3], 1, inner));
    CHECK(cudaGraphAddChildGraphNode(&node[5], graph, &node[4], 1, inner));
    CHECK(cudaGraphAddKernelNode(&node[6], graph, &node[5], 1, &adds));
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphNodeSetEnabled(exec, node[2], 0));
    cudaStream_t stream[2];
    for (auto &s : stream) CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    std::vector<int> want(N, 0);
    for (int k = 0; k < 3; ++k) {
        CHECK(cudaGraphLaunch(exec, stream[k % 2]));
        for (int &w : want) w = (w + 3) * 2 + 7 + 7 + 3;
    }
    // A captured fork and join, behind the other stream's launch by an event.
    cudaEvent_t forked, joined, done;
    CHECK(cudaEventCreate(&forked));
    CHECK(cudaEventCreate(&joined));
    CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    cudaGraph_t captured;
    CHECK(cudaStreamBeginCapture(stream[1], cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(forked, stream[1]));
    CHECK(cudaStreamWaitEvent(stream[0], forked, 0));
    half<<<N / BLOCK / 2, BLOCK, 0, stream[0]>>>(a, 0);
    half<<<N / BLOCK / 2, BLOCK, 0, stream[1]>>>(a, N / 2);
    CHECK(cudaEventRecord(joined, stream[0]));
    CHECK(cudaStreamWaitEvent(stream[1], joined, 0));
    twice<<<N / BLOCK, BLOCK, 0, stream[1]>>>(a);
    CHECK(cudaEventRecordWithFlags(done, stream[1], cudaEventRecordExternal));
    CHECK(cudaStreamEndCapture(stream[1], &captured));
    cudaGraphExec_t other;
    CHECK(cudaGraphInstantiate(&other, captured, 0));
    CHECK(cudaEventRecord(done, stream[0]));
    CHECK(cudaStreamWaitEvent(stream[1], done, 0));
    CHECK(cudaGraphLaunch(other, stream[1]));
    for (int &w : want) w = (w + 7) * 2;
    // The graph has recorded the event; a graph that waits for it, and a kernel that does.
    cudaGraph_t waiting;
    CHECK(cudaGraphCreate(&waiting, 0));
    CHECK(cudaGraphAddEventWaitNode(&node[0], waiting, nullptr, 0, done));
    CHECK(cudaGraphAddKernelNode(&node[1], waiting, &node[0], 1, &adds));
    cudaGraphExec_t waits;
    CHECK(cudaGraphInstantiate(&waits, waiting, 0));
    CHECK(cudaGraphLaunch(waits, stream[0]));
    for (int &w : want) w += 3;
    CHECK(cudaStreamSynchronize(stream[0]));
    std::vector<int> got(N);
    CHECK(cudaMemcpy(got.data(), a, N * sizeof(int), cudaMemcpyDeviceToHost));
    const bool ok = got == want;
    CHECK(cudaDeviceSynchronize());
    for (auto e : {exec, other, waits}) CHECK(cudaGraphExecDestroy(e));
    for (auto g : {inner, graph, captured, waiting}) CHECK(cudaGraphDestroy(g));
    for (auto &s : stream) CHECK(cudaStreamDestroy(s));
    CHECK(cudaFree(a));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
