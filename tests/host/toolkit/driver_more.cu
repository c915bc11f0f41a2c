// Less common calls: pools and pinned memory of the driver API, pointers to its calls, copies in
// batches and between devices, attributes of a graph's kernel.
#include <cuda.h>

#include <cstdio>
#include <cstring>

static int failures = 0;

#define MUST(condition)                                         \
    do {                                                        \
        if (!(condition)) {                                     \
            ++failures;                                         \
            std::printf("line %d: %s\n", __LINE__, #condition); \
        }                                                       \
    } while (0)

__global__ void add(int* to, int by) { to[threadIdx.x] += by; }

int main() {
    int least, greatest, priority, value = 0;
    unsigned type;
    std::size_t bytes = 0;
    MUST(cuDeviceGetDefaultMemPool(nullptr, 0) == CUDA_ERROR_NOT_INITIALIZED);
    MUST(cuInit(0) == CUDA_SUCCESS);
    CUstream stream;
    MUST(cuCtxGetStreamPriorityRange(&least, &greatest) == CUDA_SUCCESS && greatest <= least);
    MUST(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, greatest) == CUDA_SUCCESS);
    MUST(cuStreamGetPriority(stream, &priority) == CUDA_SUCCESS && priority == greatest);
    CUdeviceptr p;
    MUST(cuMemAllocAsync(&p, 128, stream) == CUDA_SUCCESS);
    MUST(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p) == CUDA_SUCCESS);
    MUST(type == CU_MEMORYTYPE_DEVICE);
    MUST(cuMemsetD32(p, 5, 32) == CUDA_SUCCESS);
    add<<<1, 32, 0, stream>>>(reinterpret_cast<int*>(p), 2);
    MUST(cuMemcpyDtoH(&value, p + 12, sizeof value) == CUDA_SUCCESS && value == 7);
    MUST(cuLaunchHostFunc(stream, [](void* of) { *static_cast<int*>(of) = 11; }, &value) ==
         CUDA_SUCCESS);
    MUST(cuStreamSynchronize(stream) == CUDA_SUCCESS && value == 11);
    void* pinned;
    MUST(cuMemHostAlloc(&pinned, 64, CU_MEMHOSTALLOC_DEVICEMAP) == CUDA_SUCCESS);
    MUST(cuCtxGetLimit(&bytes, CU_LIMIT_STACK_SIZE) == CUDA_SUCCESS && bytes > 0);
    MUST(cuMemFreeAsync(p, stream) == CUDA_SUCCESS);

    void* call = nullptr;
    cudaDriverEntryPointQueryResult found;
    MUST(cudaGetDriverEntryPointByVersion("cuMemGetInfo", &call, 12000, cudaEnableDefault,
                                          &found) == cudaSuccess);
    MUST(found == cudaDriverEntryPointSuccess && call != nullptr);
    std::size_t available = 0, total = 0;
    using told = CUresult (*)(std::size_t*, std::size_t*);
    MUST(reinterpret_cast<told>(call)(&available, &total) == CUDA_SUCCESS);
    MUST(available > 0 && available <= total);

    int *a, *b;
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    cudaMemset(b, 0, 64);
    int given[] = {1, 2, 3, 4}, taken[4] = {};
#if CUDART_VERSION >= 13000
    void* to[] = {a, b};
    const void* from[] = {given, given + 2};
    std::size_t sizes[] = {16, 8}, first[] = {0};
    cudaMemcpyAttributes how{};
    how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    MUST(cudaMemcpyBatchAsync(to, from, sizes, 2, &how, first, 1, stream) == cudaSuccess);
    cudaMemcpy(taken, b, 16, cudaMemcpyDefault);
    MUST(taken[0] == 3 && taken[1] == 4 && taken[2] == 0);
    MUST(cudaMemcpyBatchAsync(to, from, sizes, 0, &how, first, 1, stream) ==
         cudaErrorInvalidValue);
    cudaGetLastError();
#else
    cudaMemcpy(a, given, 16, cudaMemcpyDefault);
#endif
    cudaMemcpy3DPeerParms between{};
    between.srcPtr = make_cudaPitchedPtr(a, 16, 16, 1);
    between.dstPtr = make_cudaPitchedPtr(b, 16, 16, 1);
    between.extent = make_cudaExtent(16, 1, 1);
    MUST(cudaMemcpy3DPeer(&between) == cudaSuccess);
    cudaMemcpy(taken, b, 16, cudaMemcpyDefault);
    MUST(std::memcmp(taken, given, 16) == 0);
    between.dstDevice = 1;
    MUST(cudaMemcpy3DPeer(&between) == cudaErrorInvalidDevice);
    cudaGetLastError();

    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphCreate(&graph, 0);
    int by = 1;
    void* arguments[] = {&a, &by};
    cudaKernelNodeParams kernel{};
    kernel.func = reinterpret_cast<void*>(add);
    kernel.gridDim = kernel.blockDim = dim3(1);
    kernel.kernelParams = arguments;
    MUST(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &kernel) == cudaSuccess);
    cudaLaunchAttributeValue wanted{}, kept{};
    wanted.priority = greatest;
    MUST(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributePriority, &wanted) ==
         cudaSuccess);
    MUST(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributePriority, &kept) == cudaSuccess);
    MUST(kept.priority == greatest);
    std::printf("%d failures\n", failures);
    return failures != 0;
}
