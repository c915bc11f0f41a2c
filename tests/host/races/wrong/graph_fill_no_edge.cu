// wrong: the memset node that clears the counters has no edge to the kernel node that counts.
#include "checked_calls.h"

const int BINS = 32;

__global__ void histogram(const int *key, int n, int *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&count[key[i]], 1);  // race
}

int main() {
    int n = 3000, block = 128;
    std::vector<int> h(n), want(BINS, 0), got(BINS);
    for (int i = 0; i < n; ++i) {
        h[i] = i * 11 % BINS;
        want[h[i]]++;
    }
    int *key, *count;
    CHECK(cudaMalloc(&key, n * sizeof(int)));
    CHECK(cudaMalloc(&count, BINS * sizeof(int)));
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t upload, clear, work, download;
    CHECK(cudaGraphAddMemcpyNode1D(&upload, graph, nullptr, 0, key, h.data(), n * sizeof(int),
                                   cudaMemcpyHostToDevice));
    cudaMemsetParams set = {};
    set.dst = count;
    set.elementSize = 4;
    set.width = BINS;
    set.height = 1;
    CHECK(cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &set));
    void *args[] = {&key, &n, &count};
    cudaKernelNodeParams p = {};
    p.func = (void *)histogram;
    p.gridDim = dim3((n + block - 1) / block);
    p.blockDim = dim3(block);
    p.kernelParams = args;
    CHECK(cudaGraphAddKernelNode(&work, graph, &upload, 1, &p));
    CHECK(cudaGraphAddMemcpyNode1D(&download, graph, &work, 1, got.data(), count,
                                   BINS * sizeof(int), cudaMemcpyDeviceToHost));
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    bool ok = got == want;
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(key));
    CHECK(cudaFree(count));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
