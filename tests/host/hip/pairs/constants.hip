// Constant memory and variables of the device, by their symbols.
#include <hip/hip_runtime.h>

#include <cstdio>

__constant__ float coefficients[4];
__device__ int total;
__device__ float table[8];

__global__ void polynomial(float* x) {
    float sum = 0;
    for (int i = 3; i >= 0; --i) sum = sum * x[threadIdx.x] + coefficients[i];
    x[threadIdx.x] = sum + table[threadIdx.x];
    atomicAdd(&total, 1);
}

int main() {
    const float host[4] = {1, 2, 3, 4}, points[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    float result[8], tables[8] = {}, *x, *address = nullptr;
    int count = 100;
    size_t bytes = 0;
    tables[2] = 0.25f;
    hipMalloc(&x, sizeof points);
    hipMemcpy(x, points, sizeof points, hipMemcpyHostToDevice);
    hipMemcpyToSymbol(HIP_SYMBOL(coefficients), host, sizeof host);
    hipMemcpyToSymbol(HIP_SYMBOL(total), &count, sizeof count, 0, hipMemcpyHostToDevice);
    hipGetSymbolAddress((void**)&address, HIP_SYMBOL(table));
    hipGetSymbolSize(&bytes, HIP_SYMBOL(table));
    hipMemcpy(address, tables, bytes, hipMemcpyHostToDevice);
    polynomial<<<1, 8>>>(x);
    hipMemcpyFromSymbol(&count, HIP_SYMBOL(total), sizeof count);
    hipMemcpy(result, x, sizeof result, hipMemcpyDeviceToHost);
    for (float value : result) std::printf("%g ", value);
    std::printf("\n%d %zu\n", count, bytes);
    hipFree(x);
}
