// Memory of the host that kernels reach: mapped, and registered.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

__global__ void square(int* x) { x[threadIdx.x] *= x[threadIdx.x]; }

int main() {
    int *host = nullptr, *device = nullptr;
    cudaSetDeviceFlags(cudaDeviceMapHost);
    cudaHostAlloc((void**)&host, 32 * sizeof(int), cudaHostAllocMapped);
    for (int i = 0; i < 32; ++i) host[i] = i;
    cudaHostGetDevicePointer((void**)&device, host, 0);
    square<<<1, 32>>>(device);
    cudaDeviceSynchronize();
    std::printf("%d %d\n", host[5], host[31]);
    cudaPointerAttributes about;
    cudaPointerGetAttributes(&about, host);
    std::printf("%d\n", about.type == cudaMemoryTypeHost);
    cudaFreeHost(host);
    int* own = (int*)std::malloc(32 * sizeof(int));
    for (int i = 0; i < 32; ++i) own[i] = 2 * i;
    cudaHostRegister(own, 32 * sizeof(int), cudaHostRegisterMapped);
    cudaHostGetDevicePointer((void**)&device, own, 0);
    square<<<1, 32>>>(device);
    cudaDeviceSynchronize();
    std::printf("%d\n", own[31]);
    cudaHostUnregister(own);
    std::free(own);
}
