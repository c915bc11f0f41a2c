// The driver's virtual memory: an array that grows in place, one that moves with what it holds, and
// what is refused.
#include <cuda.h>

#include <cstdio>

static int failures = 0;

#define MUST(condition)                                         \
    do {                                                        \
        if (!(condition)) {                                     \
            ++failures;                                         \
            std::printf("line %d: %s\n", __LINE__, #condition); \
        }                                                       \
    } while (0)

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
    MUST(cuDevicePrimaryCtxRetain(&context, device) == CUDA_SUCCESS);
    MUST(cuCtxSetCurrent(context) == CUDA_SUCCESS);
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
        MUST(cuMemCreate(&parts[i], step, &about, 0) == CUDA_SUCCESS);
        MUST(cuMemMap(small + i * step, step, 0, parts[i], 0) == CUDA_SUCCESS);
        MUST(cuMemSetAccess(small + i * step, step, &access, 1) == CUDA_SUCCESS);
        fill<<<(n + 255) / 256, 256>>>((int*)small, i * n, (i + 1) * n);
    }
    count_wrong<<<(2 * n + 255) / 256, 256>>>((const int*)small, 2 * n, wrong);
    MUST(cudaDeviceSynchronize() == cudaSuccess && *wrong == 0);
    int last = 0;  // a copy across both parts
    MUST(cudaMemcpy(&last, (int*)small + 2 * n - 1, sizeof last, cudaMemcpyDeviceToHost) ==
         cudaSuccess && last == (int)(2 * n - 1));
    unsigned long long flags = 0;
    MUST(cuMemGetAccess(&flags, &about.location, small + step) == CUDA_SUCCESS);
    MUST(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    MUST(cuMemMap(small, step, 0, parts[0], 0) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuMemAddressFree(small, 2 * step) == CUDA_ERROR_INVALID_VALUE);

    // The first part in two more places: each sees what another writes, and keeps what was there.
    CUdeviceptr twin = 0;
    MUST(cuMemAddressReserve(&twin, 2 * step, 0, 0, 0) == CUDA_SUCCESS);
    for (int i = 0; i < 2; ++i)
        MUST(cuMemMap(twin + i * step, step, 0, parts[0], 0) == CUDA_SUCCESS);
    MUST(cuMemSetAccess(twin, 2 * step, &access, 1) == CUDA_SUCCESS);
    count_wrong<<<(n + 255) / 256, 256>>>((const int*)(twin + step), n, wrong);
    raise<<<(n + 255) / 256, 256>>>((int*)twin, n, 7);
    int seen[3] = {};
    MUST(cudaMemcpy(&seen[0], (int*)small + 5, sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess);
    MUST(cudaMemcpy(&seen[1], (int*)(twin + step) + 5, sizeof(int), cudaMemcpyDeviceToHost) ==
         cudaSuccess);
    MUST(*wrong == 0 && seen[0] == 12 && seen[1] == 12);
    MUST(cuMemUnmap(twin, step) == CUDA_SUCCESS);
    fill<<<(n + 255) / 256, 256>>>((int*)small, 0, n);
    MUST(cudaMemcpy(&seen[2], (int*)(twin + step) + 5, sizeof(int), cudaMemcpyDeviceToHost) ==
         cudaSuccess && seen[2] == 5);
    MUST(cuMemUnmap(twin + step, step) == CUDA_SUCCESS);
    MUST(cuMemAddressFree(twin, 2 * step) == CUDA_SUCCESS);

    // To a larger place, with what the parts hold.
    MUST(cuMemAddressReserve(&large, 8 * step, 0, 0, 0) == CUDA_SUCCESS);
    MUST(cuMemUnmap(small, 2 * step) == CUDA_SUCCESS);
    MUST(cuMemAddressFree(small, 2 * step) == CUDA_SUCCESS);
    for (int i = 0; i < 2; ++i)
        MUST(cuMemMap(large + i * step, step, 0, parts[i], 0) == CUDA_SUCCESS);
    MUST(cuMemSetAccess(large, 2 * step, &access, 1) == CUDA_SUCCESS);
    for (int i = 0; i < 2; ++i) MUST(cuMemRelease(parts[i]) == CUDA_SUCCESS);
    count_wrong<<<(2 * n + 255) / 256, 256>>>((const int*)large, 2 * n, wrong);
    MUST(cudaDeviceSynchronize() == cudaSuccess && *wrong == 0);
    MUST(cuMemUnmap(large, 2 * step) == CUDA_SUCCESS);
    MUST(cuMemAddressFree(large, 8 * step) == CUDA_SUCCESS);
    std::printf("%d failures\n", failures);
    return failures != 0;
}
