// wrong: a kernel node beside a child graph, whose second node writes what the kernel reads: both
// depend on the fill alone.
#include "checked_calls.h"

__global__ void fill(int *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i + 5;
}

__global__ void square(int *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] *= a[i];  // race A
}

__global__ void halve(const int *a, int *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = a[i] / 2;  // race B
}

int main() {
    const int n = 1024, block = 128;
    int *a, *b;
    CHECK(cudaMalloc(&a, n * sizeof(int)));
    CHECK(cudaMalloc(&b, n * sizeof(int)));
    void *one[] = {&a}, *two[] = {&a, &b};
    cudaKernelNodeParams p = {};
    p.gridDim = dim3(n / block);
    p.blockDim = dim3(block);
    cudaGraph_t graph, inner;
    cudaGraphNode_t first, child, inner_first, inner_second, last;
    CHECK(cudaGraphCreate(&inner, 0));
    CHECK(cudaGraphAddEmptyNode(&inner_first, inner, nullptr, 0));
    p.func = (void *)square;
    p.kernelParams = one;
    CHECK(cudaGraphAddKernelNode(&inner_second, inner, &inner_first, 1, &p));
    CHECK(cudaGraphCreate(&graph, 0));
    p.func = (void *)fill;
    CHECK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &p));
    CHECK(cudaGraphAddChildGraphNode(&child, graph, &first, 1, inner));
    p.func = (void *)halve;
    p.kernelParams = two;
    CHECK(cudaGraphAddKernelNode(&last, graph, &first, 1, &p));
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, nullptr));
    CHECK(cudaDeviceSynchronize());
    std::vector<int> got(n);
    CHECK(cudaMemcpy(got.data(), b, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; ++i) ok = ok && got[i] == (i + 5) * (i + 5) / 2;
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphDestroy(inner));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
