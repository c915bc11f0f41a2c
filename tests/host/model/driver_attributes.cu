// Less common calls: pools and pinned memory of the driver API, pointers to its calls, copies in
// batches and between devices, attributes of a graph's kernel.
#include <cuda.h>

#include "check.h"

__global__ void add(int* to, int by) { to[threadIdx.x] += by; }
template <class T>
__global__ void scale(T* to, T by) {
    to[blockIdx.x * blockDim.x + threadIdx.x] *= by;
}

/// Launches of kernels that the runtime API names, into a stream and with any shape.
static void launches(CUstream stream) {
    cudaFunction_t adds = nullptr, scales = nullptr;
    OK(cudaGetFuncBySymbol(&adds, reinterpret_cast<const void*>(add)));
    OK(cudaGetFuncBySymbol(&scales, scale<int>));
    int not_a_kernel = 0;
    MUST(cudaGetFuncBySymbol(&adds, static_cast<const void*>(&not_a_kernel)) ==
         cudaErrorInvalidDeviceFunction);
    cudaGetLastError();
    int got[6] = {1, 2, 3, 4, 5, 6}, by = 3;
    CUdeviceptr p;
    OK(cuMemAlloc(&p, sizeof got));
    OK(cuMemcpyHtoD(p, got, sizeof got));
    void* arguments[] = {&p, &by};
    OK(cuLaunchKernel(scales, 2, 1, 1, 3, 1, 1, 0, stream, arguments, nullptr));
    by = 100;
    OK(cuLaunchKernel(adds, 1, 1, 1, 2, 1, 1, 0, stream, arguments, nullptr));
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoH(got, p, sizeof got));
    const int wanted[] = {103, 106, 9, 12, 15, 18};
    MUST(std::memcmp(got, wanted, sizeof got) == 0);
    MUST(cuLaunchKernel(adds, 1, 1, 1, 2048, 1, 1, 0, stream, arguments, nullptr) ==
         CUDA_ERROR_INVALID_VALUE);
    MUST(cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr) ==
         CUDA_ERROR_INVALID_HANDLE);
    OK(cudaGetLastError());
    cuMemFree(p);
}

/// What a block of `threads` needs of shared memory.
static std::size_t shared_of(int threads) { return 64 * static_cast<std::size_t>(threads); }

__global__ void __launch_bounds__(256) bounded(int* to) {
    __shared__ int kept[256];
    extern __shared__ int more[];
    kept[threadIdx.x] = more[threadIdx.x] = static_cast<int>(threadIdx.x);
    __syncthreads();
    to[threadIdx.x] = kept[blockDim.x - 1 - threadIdx.x];
}
__global__ void rank_in_cluster(int* to) {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) to[blockIdx.x] = static_cast<int>(rank);
}

static void attributes(CUstream stream) {
    cudaFunction_t function = nullptr, ranks = nullptr;
    OK(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(bounded)));
    OK(cudaGetFuncBySymbol(&ranks, reinterpret_cast<const void*>(rank_in_cluster)));
    int value = 0, grid = 0, block = 0, blocks = 0, runtime_grid = 0, runtime_block = 0;
    MUST(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function) ==
             CUDA_SUCCESS &&
         value == 256);
    MUST(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function) ==
             CUDA_SUCCESS &&
         value == 1024);
    MUST(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, nullptr) ==
         CUDA_ERROR_INVALID_HANDLE);
    OK(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536));
    MUST(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function) ==
             CUDA_SUCCESS &&
         value == 65536);
    OK(cuFuncSetCacheConfig(function, CU_FUNC_CACHE_PREFER_SHARED));
    const char* name = nullptr;
    MUST(cuFuncGetName(&name, function) == CUDA_SUCCESS && std::strstr(name, "bounded") != nullptr);
    MUST(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 256, 0) == CUDA_SUCCESS &&
         blocks > 0);
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, nullptr, 0, 0));
    OK(cudaOccupancyMaxPotentialBlockSize(&runtime_grid, &runtime_block, bounded));
    MUST(grid == runtime_grid && block == runtime_block && block > 0);
    MUST(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, shared_of, 0, 100) ==
             CUDA_SUCCESS &&
         block > 0 && block <= 100);

    CUdeviceptr p;
    OK(cuMemAlloc(&p, 256 * sizeof(int)));
    void* arguments[] = {&p};
    CUlaunchConfig config{};
    config.gridDimX = config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = 256, config.blockDimY = config.blockDimZ = 1;
    config.sharedMemBytes = 60000;
    config.hStream = stream;
    OK(cuLaunchKernelEx(&config, function, arguments, nullptr));
    int got[256];
    OK(cuStreamSynchronize(stream));
    MUST(cuMemcpyDtoH(got, p, sizeof got) == CUDA_SUCCESS && got[0] == 255 && got[255] == 0);
    CUlaunchAttribute cluster{};
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim.x = 4, cluster.value.clusterDim.y = cluster.value.clusterDim.z = 1;
    config.attrs = &cluster, config.numAttrs = 1;
    config.gridDimX = 8, config.blockDimX = 32, config.sharedMemBytes = 0;
    OK(cuLaunchKernelEx(&config, ranks, arguments, nullptr));
    OK(cuStreamSynchronize(stream));
    MUST(cuMemcpyDtoH(got, p, sizeof got) == CUDA_SUCCESS && got[3] == 3 && got[6] == 2);
    OK(cuLaunchCooperativeKernel(ranks, 2, 1, 1, 32, 1, 1, 0, stream, arguments));
    MUST(cuLaunchKernelEx(&config, nullptr, arguments, nullptr) == CUDA_ERROR_INVALID_HANDLE);

    OK(cuStreamWriteValue32(stream, p, 7, 0));
    OK(cuStreamWriteValue64(stream, p + 8, 0x123456789abcdefULL, 0));
    OK(cuStreamWaitValue32(stream, p, 7, CU_STREAM_WAIT_VALUE_EQ));
    OK(cuStreamWaitValue32(stream, p, 5, CU_STREAM_WAIT_VALUE_GEQ));
    OK(cuStreamWaitValue64(stream, p + 8, 0x123456789abcdefULL, CU_STREAM_WAIT_VALUE_EQ));
    cudaKernel_t kernel = nullptr;
    CUfunction same = nullptr;
    OK(cudaGetKernel(&kernel, reinterpret_cast<const void*>(bounded)));
    MUST(cuKernelGetFunction(&same, kernel) == CUDA_SUCCESS && same == function);
    OK(cudaGetLastError());
    cuMemFree(p);
}

int main() {
    int least, greatest, priority, value = 0;
    unsigned type;
    std::size_t bytes = 0;
    MUST(cuDeviceGetDefaultMemPool(nullptr, 0) == CUDA_ERROR_NOT_INITIALIZED);
    // The runtime API initialises the driver, too.
    OK(cudaFree(nullptr));
    CUdevice device = -1;
    MUST(cuDeviceGet(&device, 0) == CUDA_SUCCESS && device == 0);
    OK(cuInit(0));
    CUstream stream;
    MUST(cuCtxGetStreamPriorityRange(&least, &greatest) == CUDA_SUCCESS && greatest <= least);
    OK(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, greatest));
    MUST(cuStreamGetPriority(stream, &priority) == CUDA_SUCCESS && priority == greatest);
    CUdeviceptr p;
    OK(cuMemAllocAsync(&p, 128, stream));
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
    MUST(type == CU_MEMORYTYPE_DEVICE);
    OK(cuMemsetD32(p, 5, 32));
    OK(cuCtxSynchronize());  // the stream does not wait for the default one
    add<<<1, 32, 0, stream>>>(reinterpret_cast<int*>(p), 2);
    OK(cuStreamSynchronize(stream));
    MUST(cuMemcpyDtoH(&value, p + 12, sizeof value) == CUDA_SUCCESS && value == 7);
    OK(cuLaunchHostFunc(
        stream, [](void* data) { *static_cast<int*>(data) = 11; }, &value));
    MUST(cuStreamSynchronize(stream) == CUDA_SUCCESS && value == 11);
    launches(stream);
    attributes(stream);
    void* pinned;
    OK(cuMemHostAlloc(&pinned, 64, CU_MEMHOSTALLOC_DEVICEMAP));
    MUST(cuCtxGetLimit(&bytes, CU_LIMIT_STACK_SIZE) == CUDA_SUCCESS && bytes > 0);
    OK(cuMemFreeAsync(p, stream));

    void* call = nullptr;
    cudaDriverEntryPointQueryResult found;
    OK(cudaGetDriverEntryPointByVersion("cuMemGetInfo", &call, 12000, cudaEnableDefault, &found));
    MUST(found == cudaDriverEntryPointSuccess && call != nullptr);
    void* none = &call;
    OK(cudaGetDriverEntryPointByVersion("cuNoSuchCall", &none, 12000, cudaEnableDefault, &found));
    MUST(found == cudaDriverEntryPointSymbolNotFound && none == nullptr);
    std::size_t available = 0, total = 0;
    using told = CUresult (*)(std::size_t*, std::size_t*);
    MUST(reinterpret_cast<told>(call)(&available, &total) == CUDA_SUCCESS);
    MUST(available > 0 && available <= total);

    int *a, *b;
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    cudaMemset(b, 0, 64);
    cudaDeviceSynchronize();  // streams that do not block would not wait
    int given[] = {1, 2, 3, 4}, taken[4] = {};
#if CUDART_VERSION >= 13000
    void* to[] = {a, b};
    const void* from[] = {given, given + 2};
    std::size_t sizes[] = {16, 8}, first[] = {0};
    cudaMemcpyAttributes how{};
    how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    OK(cudaMemcpyBatchAsync(to, from, sizes, 2, &how, first, 1, stream));
    OK(cudaStreamSynchronize(stream));
    cudaMemcpy(taken, b, 16, cudaMemcpyDefault);
    MUST(taken[0] == 3 && taken[1] == 4 && taken[2] == 0);
    MUST(cudaMemcpyBatchAsync(to, from, sizes, 0, &how, first, 1, stream) == cudaErrorInvalidValue);
    cudaGetLastError();
#else
    cudaMemcpy(a, given, 16, cudaMemcpyDefault);
#endif
    cudaMemcpy3DPeerParms between{};
    between.srcPtr = make_cudaPitchedPtr(a, 16, 16, 1);
    between.dstPtr = make_cudaPitchedPtr(b, 16, 16, 1);
    between.extent = make_cudaExtent(16, 1, 1);
    OK(cudaMemcpy3DPeer(&between));
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
    OK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &kernel));
    cudaLaunchAttributeValue wanted{}, kept{};
    wanted.priority = greatest;
    OK(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributePriority, &wanted));
    OK(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributePriority, &kept));
    MUST(kept.priority == greatest);
    return verdict();
}
