// ends: cuset-host: illegal_address: kernel sum, block (0,0,0), thread *: uses a pointer to host memory that was copied to the device
// A node of a graph copies the struct.
#include <cuda.h>
#include <cuda_runtime.h>

#include <vector>
struct numbers {
    const float* data;
    int count;
};
__global__ void sum(const numbers* n, float* to) {
    float all = 0;
    for (int i = 0; i < n->count; ++i) all += n->data[i];
    *to = all;
}

int main() {
    std::vector<float> values(32, 1);
    const numbers n{values.data(), 32};
    numbers* d = nullptr;
    float* to = nullptr;
    cudaMalloc(&d, sizeof n);
    cudaMalloc(&to, sizeof *to);
    cudaGraph_t graph;
    cudaGraphExec_t made;
    cudaGraphNode_t node;
    cudaGraphCreate(&graph, 0);
    cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, d, &n, sizeof n, cudaMemcpyHostToDevice);
    cudaGraphInstantiate(&made, graph, 0);
    cudaGraphLaunch(made, nullptr);
    cudaDeviceSynchronize();
    sum<<<1, 1>>>(d, to);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
