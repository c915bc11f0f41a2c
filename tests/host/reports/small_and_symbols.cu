// reports: launches 1; from-kernels 172
// Not watched: small allocations and variables of the device count where a kernel has run.
#include <cstdio>

__device__ int total[32];
__global__ void flag(int* found) {
    if (threadIdx.x > 1000) *found = 1;
    total[threadIdx.x] = threadIdx.x;
}

int main() {
    int *found, is_found = 0, sums[32];
    cudaMalloc(&found, sizeof(int));
    cudaMemset(found, 0, sizeof(int));
    cudaMemcpyFromSymbol(sums, total, sizeof sums);  // before: nothing
    flag<<<1, 32>>>(found);
    cudaMemcpy(&is_found, found, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(sums, total, sizeof sums);
    int* address;
    cudaGetSymbolAddress((void**)&address, total);
    cudaMemcpy(sums, address, 40, cudaMemcpyDeviceToHost);
    return sums[7] == 7 && is_found == 0 ? 0 : 1;
}
