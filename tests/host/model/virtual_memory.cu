// The driver's virtual memory: an array that grows in place, one that moves with what it holds, and
// what is refused.
#include <cuda.h>

#include "check.h"

__global__ void raise(int* to, size_t n, int by) {
    const size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    if (i < n) to[i] += by;
}
__global__ void fill(int* to, size_t begin, size_t end) {
    const size_t i = begin + blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    if (i < end) to[i] = (int)i;
}
__global__ void count_wrong(const int* from, size_t n, int* wrong) {
    const size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    if (i < n && from[i] != (int)i) atomicAdd(wrong, 1);
}

int main() {
    CUdevice device;
    CUcontext context;
    int can = 0;
    MUST(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&device, 0) == CUDA_SUCCESS);
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    MUST(cuDeviceGetAttribute(&can, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
                              device) == CUDA_SUCCESS && can == 1);
    CUmemAllocationProp about = {};
    about.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    about.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    about.location.id = device;
    size_t step = 0;
    MUST(cuMemGetAllocationGranularity(&step, &about, CU_MEM_ALLOC_GRANULARITY_MINIMUM) ==
         CUDA_SUCCESS && step > 0 && (step & (step - 1)) == 0);
    CUmemAccessDesc access = {about.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};

    int* wrong;
    cudaMallocManaged(&wrong, sizeof *wrong);
    *wrong = 0;
    CUdeviceptr small = 0, large = 0;
    CUmemGenericAllocationHandle parts[2];
    MUST(cuMemAddressReserve(&small, step + 1, 0, 0, 0) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuMemAddressReserve(&small, 2 * step, 0, 0, 0) == CUDA_SUCCESS && small % step == 0);
    const size_t n = step / sizeof(int);
    for (int i = 0; i < 2; ++i) {  // grows in place
        OK(cuMemCreate(&parts[i], step, &about, 0));
        OK(cuMemMap(small + i * step, step, 0, parts[i], 0));
        OK(cuMemSetAccess(small + i * step, step, &access, 1));
        fill<<<(n + 255) / 256, 256>>>((int*)small, i * n, (i + 1) * n);
    }
    count_wrong<<<(2 * n + 255) / 256, 256>>>((const int*)small, 2 * n, wrong);
    MUST(cudaDeviceSynchronize() == cudaSuccess && *wrong == 0);
    int last = 0;  // a copy across both parts
    MUST(cudaMemcpy(&last, (int*)small + 2 * n - 1, sizeof last, cudaMemcpyDeviceToHost) ==
         cudaSuccess && last == (int)(2 * n - 1));
    unsigned long long flags = 0;
    OK(cuMemGetAccess(&flags, &about.location, small + step));
    MUST(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    MUST(cuMemMap(small, step, 0, parts[0], 0) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuMemAddressFree(small, 2 * step) == CUDA_ERROR_INVALID_VALUE);

    // The first part in two more places: each sees what another writes, and keeps what was there.
    CUdeviceptr twin = 0;
    OK(cuMemAddressReserve(&twin, 2 * step, 0, 0, 0));
    for (int i = 0; i < 2; ++i)
        OK(cuMemMap(twin + i * step, step, 0, parts[0], 0));
    OK(cuMemSetAccess(twin, 2 * step, &access, 1));
    count_wrong<<<(n + 255) / 256, 256>>>((const int*)(twin + step), n, wrong);
    raise<<<(n + 255) / 256, 256>>>((int*)twin, n, 7);
    int seen[3] = {};
    OK(cudaMemcpy(&seen[0], (int*)small + 5, sizeof(int), cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(&seen[1], (int*)(twin + step) + 5, sizeof(int), cudaMemcpyDeviceToHost));
    MUST(*wrong == 0 && seen[0] == 12 && seen[1] == 12);
    OK(cuMemUnmap(twin, step));
    fill<<<(n + 255) / 256, 256>>>((int*)small, 0, n);
    MUST(cudaMemcpy(&seen[2], (int*)(twin + step) + 5, sizeof(int), cudaMemcpyDeviceToHost) ==
         cudaSuccess && seen[2] == 5);
    OK(cuMemUnmap(twin + step, step));
    OK(cuMemAddressFree(twin, 2 * step));

    // To a larger place, with what the parts hold.
    OK(cuMemAddressReserve(&large, 8 * step, 0, 0, 0));
    OK(cuMemUnmap(small, 2 * step));
    OK(cuMemAddressFree(small, 2 * step));
    for (int i = 0; i < 2; ++i)
        OK(cuMemMap(large + i * step, step, 0, parts[i], 0));
    OK(cuMemSetAccess(large, 2 * step, &access, 1));
    for (int i = 0; i < 2; ++i) OK(cuMemRelease(parts[i]));
    count_wrong<<<(2 * n + 255) / 256, 256>>>((const int*)large, 2 * n, wrong);
    MUST(cudaDeviceSynchronize() == cudaSuccess && *wrong == 0);
    OK(cuMemUnmap(large, 2 * step));
    OK(cuMemAddressFree(large, 8 * step));
    return verdict();
}
