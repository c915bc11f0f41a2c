// ends: cuset-host: illegal_address: kernel sum, block (0,0,0), thread *: uses a pointer to host memory that was copied to the device
// The rows lie in one block of the host, and their addresses are in a table of the device.
#include <cuda_runtime.h>
#include <vector>
__constant__ const float* rows[8];
__global__ void sum(float* sums) {
    float s = 0;
    for (int i = 0; i < 16; ++i) s += rows[threadIdx.x][i];
    sums[threadIdx.x] = s;
}

int main() {
    std::vector<float> values(8 * 16, 1);
    const float* table[8];
    for (int i = 0; i < 8; ++i) table[i] = values.data() + i * 16;
    cudaMemcpyToSymbol(rows, table, sizeof table);
    float* sums = nullptr;
    cudaMalloc(&sums, 8 * sizeof(float));
    sum<<<1, 8>>>(sums);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
