// Memory of the host that kernels reach: mapped, and registered.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

__global__ void square(int* x) { x[threadIdx.x] *= x[threadIdx.x]; }

int main() {
    int *host = nullptr, *device = nullptr;
    hipSetDeviceFlags(hipDeviceMapHost);
    hipHostMalloc((void**)&host, 32 * sizeof(int), hipHostMallocMapped);
    for (int i = 0; i < 32; ++i) host[i] = i;
    hipHostGetDevicePointer((void**)&device, host, 0);
    square<<<1, 32>>>(device);
    hipDeviceSynchronize();
    std::printf("%d %d\n", host[5], host[31]);
    hipPointerAttribute_t about;
    hipPointerGetAttributes(&about, host);
    std::printf("%d\n", about.type == hipMemoryTypeHost);
    hipHostFree(host);
    int* own = (int*)std::malloc(32 * sizeof(int));
    for (int i = 0; i < 32; ++i) own[i] = 2 * i;
    hipHostRegister(own, 32 * sizeof(int), hipHostRegisterMapped);
    hipHostGetDevicePointer((void**)&device, own, 0);
    square<<<1, 32>>>(device);
    hipDeviceSynchronize();
    std::printf("%d\n", own[31]);
    hipHostUnregister(own);
    std::free(own);
}
