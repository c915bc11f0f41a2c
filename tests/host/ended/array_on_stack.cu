// ends: cuset-host: illegal_address: kernel fill, block (0,0,0), thread *: uses a pointer to host memory that was copied to the device
#include <cuda_runtime.h>
struct span {
    int* begin;
    long long count;
};
__device__ span of_device;
__global__ void fill() { of_device.begin[threadIdx.x] = 1; }

int main() {
    int values[32];
    const span s{values, 32};
    cudaMemcpyToSymbol(of_device, &s, sizeof s);
    fill<<<1, 32>>>();
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : values[0];
}
