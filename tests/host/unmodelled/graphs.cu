// unmodelled: cudaGraphCreate
#include <cuda_runtime.h>
__global__ void nothing() {}
int main() {
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    nothing<<<1, 1>>>();
}
