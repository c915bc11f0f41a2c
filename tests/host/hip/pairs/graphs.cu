// A captured graph, and one of nodes.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void add(int* x, int what) { x[threadIdx.x] += what; }

void CUDART_CB tell(void* data) { ++*static_cast<int*>(data); }

int main() {
    int host[32] = {}, told = 0, what = 7, *x;
    cudaMalloc(&x, sizeof host);
    cudaMemset(x, 0, sizeof host);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    add<<<1, 32, 0, stream>>>(x, 1);
    add<<<1, 32, 0, stream>>>(x, 2);
    cudaLaunchHostFunc(stream, tell, &told);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    for (int i = 0; i < 5; ++i) cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
    size_t nodes = 0;
    cudaGraphGetNodes(graph, nullptr, &nodes);
    cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%d %d %zu\n", host[31], told, nodes);
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    cudaGraphCreate(&graph, 0);
    cudaGraphNode_t first, second;
    void* arguments[] = {&x, &what};
    cudaKernelNodeParams parameters = {};
    parameters.func = (void*)add;
    parameters.gridDim = dim3(1);
    parameters.blockDim = dim3(32);
    parameters.kernelParams = arguments;
    cudaGraphAddKernelNode(&first, graph, nullptr, 0, &parameters);
    cudaGraphAddKernelNode(&second, graph, &first, 1, &parameters);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
    cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%d\n", host[0]);
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    cudaFree(x);
}
