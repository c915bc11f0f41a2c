// wrong: a captured fork, whose branch writes b while the origin's branch reads it: the event that
// joins them is waited for behind the kernel that reads.
#include "checked_calls.h"

__global__ void scale(const float *a, float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = 2 * a[i] + 3;  // race A
}

__global__ void add(const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = b[i] + 1;  // race B
}

int main() {
    const int n = 2000, block = 128, grid = (n + block - 1) / block;
    float *a, *b, *c;
    CHECK(cudaMalloc(&a, n * sizeof(float)));
    CHECK(cudaMalloc(&b, n * sizeof(float)));
    CHECK(cudaMalloc(&c, n * sizeof(float)));
    cudaStream_t origin, branch;
    cudaEvent_t forked, joined;
    CHECK(cudaStreamCreate(&origin));
    CHECK(cudaStreamCreate(&branch));
    CHECK(cudaEventCreate(&forked));
    CHECK(cudaEventCreate(&joined));
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(origin, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemsetAsync(a, 0, n * sizeof(float), origin));
    CHECK(cudaEventRecord(forked, origin));
    CHECK(cudaStreamWaitEvent(branch, forked, 0));
    scale<<<grid, block, 0, branch>>>(a, b, n);
    CHECK(cudaEventRecord(joined, branch));
    add<<<grid, block, 0, origin>>>(b, c, n);
    CHECK(cudaStreamWaitEvent(origin, joined, 0));
    CHECK(cudaStreamEndCapture(origin, &graph));
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, origin));
    CHECK(cudaStreamSynchronize(origin));
    std::vector<float> got(n);
    CHECK(cudaMemcpy(got.data(), c, n * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; ++i) ok = ok && got[i] == 4;
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
