// wrong: two graphs of the same nodes, launched in two streams, add to the same array.
#include "checked_calls.h"

__global__ void add(int *a, int by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] += by;  // race
}

int main() {
    const int n = 1024, block = 128;
    int *a, by = 3;
    CHECK(cudaMalloc(&a, n * sizeof(int)));
    CHECK(cudaMemset(a, 0, n * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    void *args[] = {&a, &by};
    cudaKernelNodeParams p = {};
    p.func = (void *)add;
    p.gridDim = dim3(n / block);
    p.blockDim = dim3(block);
    p.kernelParams = args;
    cudaGraph_t graph;
    cudaGraphNode_t node;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &p));
    cudaGraphExec_t exec[2];
    cudaStream_t stream[2];
    for (int k = 0; k < 2; ++k) {
        CHECK(cudaGraphInstantiate(&exec[k], graph, 0));
        CHECK(cudaStreamCreate(&stream[k]));
        CHECK(cudaGraphLaunch(exec[k], stream[k]));
    }
    CHECK(cudaDeviceSynchronize());
    std::vector<int> got(n);
    CHECK(cudaMemcpy(got.data(), a, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; ++i) ok = ok && got[i] == 6;
    for (int k = 0; k < 2; ++k) {
        CHECK(cudaGraphExecDestroy(exec[k]));
        CHECK(cudaStreamDestroy(stream[k]));
    }
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(a));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
