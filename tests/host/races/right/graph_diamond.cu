// right: a graph whose edges make a diamond: fill before the two middle nodes,
// which write halves that do not overlap, and both before the last node.
#include "checked_calls.h"

const int N = 1024, BLOCK = 128;

__global__ void fill(int *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i;
}

__global__ void half(const int *a, int *b, int first) {
    int i = blockIdx.x * blockDim.x + threadIdx.x + first;
    b[i] = a[i] + a[N - 1 - i] + first;
}

__global__ void join(int *a, const int *b, int *sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    sum[i] += b[i] - b[N - 1 - i];
    a[i] = -1;
}

int main() {
    int *a, *b, *sum, low = 0, high = N / 2;
    CHECK(cudaMalloc(&a, N * sizeof(int)));
    CHECK(cudaMalloc(&b, N * sizeof(int)));
    CHECK(cudaMalloc(&sum, N * sizeof(int)));
    CHECK(cudaMemset(sum, 0, N * sizeof(int)));
    cudaGraph_t graph;
    cudaGraphNode_t top, mid[2], bottom;
    CHECK(cudaGraphCreate(&graph, 0));
    void *fill_args[] = {&a};
    void *low_args[] = {&a, &b, &low}, *high_args[] = {&a, &b, &high};
    void *join_args[] = {&a, &b, &sum};
    cudaKernelNodeParams p = {};
    p.func = (void *)fill;
    p.gridDim = dim3(N / BLOCK);
    p.blockDim = dim3(BLOCK);
    p.kernelParams = fill_args;
    CHECK(cudaGraphAddKernelNode(&top, graph, nullptr, 0, &p));
    p.func = (void *)half;
    p.gridDim = dim3(N / 2 / BLOCK);
    p.kernelParams = low_args;
    CHECK(cudaGraphAddKernelNode(&mid[0], graph, &top, 1, &p));
    p.kernelParams = high_args;
    CHECK(cudaGraphAddKernelNode(&mid[1], graph, &top, 1, &p));
    p.func = (void *)join;
    p.gridDim = dim3(N / BLOCK);
    p.kernelParams = join_args;
    CHECK(cudaGraphAddKernelNode(&bottom, graph, mid, 2, &p));
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    for (int r = 0; r < 3; ++r) CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    std::vector<int> got(N);
    CHECK(cudaMemcpy(got.data(), sum, N * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < N; ++i) ok = ok && got[i] == (i < N / 2 ? -3 * high : 3 * high);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(sum));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
