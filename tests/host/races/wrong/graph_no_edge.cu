// wrong: two kernel nodes of a graph built by hand, of which the second reads what the first
// writes, and neither depends on the other.
#include "checked_calls.h"

__global__ void produce(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = 3 * i + 1;  // race A
}

__global__ void consume(const int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = a[n - 1 - i] * 2;  // race B
}

int main() {
    int n = 3000, block = 128;
    int *a, *b;
    CHECK(cudaMalloc(&a, n * sizeof(int)));
    CHECK(cudaMalloc(&b, n * sizeof(int)));
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    void *produce_args[] = {&a, &n}, *consume_args[] = {&a, &b, &n};
    cudaKernelNodeParams p = {};
    p.func = (void *)produce;
    p.gridDim = dim3((n + block - 1) / block);
    p.blockDim = dim3(block);
    p.kernelParams = produce_args;
    cudaGraphNode_t first, second;
    CHECK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &p));
    p.func = (void *)consume;
    p.kernelParams = consume_args;
    CHECK(cudaGraphAddKernelNode(&second, graph, nullptr, 0, &p));
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, nullptr));
    std::vector<int> got(n);
    CHECK(cudaMemcpy(got.data(), b, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; ++i) ok = ok && got[i] == (3 * (n - 1 - i) + 1) * 2;
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
