// Memory in two and three dimensions, fills and copies of parts.
#include <hip/hip_runtime.h>

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
    hipMallocPitch((void**)&base, &pitch, 8 * sizeof(int), 6);
    hipMemset2D(base, pitch, 1, 8 * sizeof(int), 6);
    raise<<<1, dim3(8, 6)>>>(base, pitch, 8, 6);
    hipMemcpy2D(host, sizeof host[0], base, pitch, 8 * sizeof(int), 6, hipMemcpyDeviceToHost);
    std::printf("%x %x\n", host[0][0], host[5][7]);
    hipMalloc(&device, sizeof host);
    hipMemset(device, 0, sizeof host);
    hipMemcpy2DAsync(device, 4 * sizeof(int), host, sizeof host[0], 4 * sizeof(int), 6, hipMemcpyHostToDevice, 0);
    hipMemcpy(host, device, sizeof host, hipMemcpyDeviceToHost);
    std::printf("%x %x\n", host[0][4], host[5][7]);
    const hipExtent extent = make_hipExtent(4 * sizeof(int), 3, 2);
    hipPitchedPtr volume;
    hipMalloc3D(&volume, extent);
    hipMemset3D(volume, 0x7f, extent);
    hipMemcpy3DParms parameters = {};
    parameters.srcPtr = volume;
    parameters.dstPtr = make_hipPitchedPtr(host, 4 * sizeof(int), 4, 3);
    parameters.extent = extent;
    parameters.kind = hipMemcpyDeviceToHost;
    hipMemcpy3D(&parameters);
    std::printf("%x %x\n", host[0][0], host[2][7]);
    std::printf("%d\n", hipMemGetInfo(&free_bytes, &all_bytes) == hipSuccess && free_bytes < all_bytes);
    hipFree(base);
    hipFree(device);
    hipFree(volume.ptr);
}
