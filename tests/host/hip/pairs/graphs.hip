// A captured graph, and one of nodes.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void add(int* x, int what) { x[threadIdx.x] += what; }

void tell(void* data) { ++*static_cast<int*>(data); }

int main() {
    int host[32] = {}, told = 0, what = 7, *x;
    hipMalloc(&x, sizeof host);
    hipMemset(x, 0, sizeof host);
    hipStream_t stream;
    hipStreamCreate(&stream);
    hipGraph_t graph;
    hipGraphExec_t ready;
    hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal);
    add<<<1, 32, 0, stream>>>(x, 1);
    add<<<1, 32, 0, stream>>>(x, 2);
    hipLaunchHostFunc(stream, tell, &told);
    hipStreamEndCapture(stream, &graph);
    hipGraphInstantiate(&ready, graph, nullptr, nullptr, 0);
    for (int i = 0; i < 5; ++i) hipGraphLaunch(ready, stream);
    hipStreamSynchronize(stream);
    size_t nodes = 0;
    hipGraphGetNodes(graph, nullptr, &nodes);
    hipMemcpy(host, x, sizeof host, hipMemcpyDeviceToHost);
    std::printf("%d %d %zu\n", host[31], told, nodes);
    hipGraphExecDestroy(ready);
    hipGraphDestroy(graph);
    hipGraphCreate(&graph, 0);
    hipGraphNode_t first, second;
    void* arguments[] = {&x, &what};
    hipKernelNodeParams parameters = {};
    parameters.func = (void*)add;
    parameters.gridDim = dim3(1);
    parameters.blockDim = dim3(32);
    parameters.kernelParams = arguments;
    hipGraphAddKernelNode(&first, graph, nullptr, 0, &parameters);
    hipGraphAddKernelNode(&second, graph, &first, 1, &parameters);
    hipGraphInstantiate(&ready, graph, nullptr, nullptr, 0);
    hipGraphLaunch(ready, stream);
    hipStreamSynchronize(stream);
    hipMemcpy(host, x, sizeof host, hipMemcpyDeviceToHost);
    std::printf("%d\n", host[0]);
    hipGraphExecDestroy(ready);
    hipGraphDestroy(graph);
    hipStreamDestroy(stream);
    hipFree(x);
}
