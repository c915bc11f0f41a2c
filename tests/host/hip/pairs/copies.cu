// Memory in two and three dimensions, fills and copies of parts.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

__global__ void raise(char* base, size_t pitch, int width, int height) {
    const int x = threadIdx.x, y = threadIdx.y;
    if (x < width && y < height) ((int*)(base + y * pitch))[x] += 10 * y + x;
}

int main() {
    int host[6][8], *device;
    std::memset(host, 0, sizeof host);
    char* base;
    size_t pitch = 0, free_bytes = 0, all_bytes = 0;
    cudaMallocPitch((void**)&base, &pitch, 8 * sizeof(int), 6);
    cudaMemset2D(base, pitch, 1, 8 * sizeof(int), 6);
    raise<<<1, dim3(8, 6)>>>(base, pitch, 8, 6);
    cudaMemcpy2D(host, sizeof host[0], base, pitch, 8 * sizeof(int), 6, cudaMemcpyDeviceToHost);
    std::printf("%x %x\n", host[0][0], host[5][7]);
    cudaMalloc(&device, sizeof host);
    cudaMemset(device, 0, sizeof host);
    cudaMemcpy2DAsync(device, 4 * sizeof(int), host, sizeof host[0], 4 * sizeof(int), 6, cudaMemcpyHostToDevice, 0);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%x %x\n", host[0][4], host[5][7]);
    const cudaExtent extent = make_cudaExtent(4 * sizeof(int), 3, 2);
    cudaPitchedPtr volume;
    cudaMalloc3D(&volume, extent);
    cudaMemset3D(volume, 0x7f, extent);
    cudaMemcpy3DParms parameters = {};
    parameters.srcPtr = volume;
    parameters.dstPtr = make_cudaPitchedPtr(host, 4 * sizeof(int), 4, 3);
    parameters.extent = extent;
    parameters.kind = cudaMemcpyDeviceToHost;
    cudaMemcpy3D(&parameters);
    std::printf("%x %x\n", host[0][0], host[2][7]);
    std::printf("%d\n", cudaMemGetInfo(&free_bytes, &all_bytes) == cudaSuccess && free_bytes < all_bytes);
    cudaFree(base);
    cudaFree(device);
    cudaFree(volume.ptr);
}
