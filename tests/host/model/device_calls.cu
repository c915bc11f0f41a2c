// What both APIs tell and set of the device, its pools and its streams: peers, limits, occupancy,
// events and callbacks, attributes of streams, pointers to the driver's calls.
#include <cuda.h>

#include <chrono>
#include <thread>

#include "check.h"

static CUstream stream;

__global__ void add(int* to, int by) {
    extern __shared__ int room[];
    __shared__ int more[256];
    room[threadIdx.x] = by, more[threadIdx.x] = 100;
    __syncthreads();
    to[threadIdx.x] += room[threadIdx.x ^ 1] + more[threadIdx.x ^ 1];
}
static CUfunction function() {
    cudaFunction_t found = nullptr;
    OK(cudaGetFuncBySymbol(&found, reinterpret_cast<const void*>(add)));
    return found;
}

static int attribute(CUdevice_attribute which) {
    int value = -1;
    OK(cuDeviceGetAttribute(&value, which, 0));
    return value;
}

static void device() {
    int major = 0, minor = 0, can = 7, active = 7;
    unsigned flags = 77;
    OK(cuDeviceComputeCapability(&major, &minor, 0));
    MUST(major == attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
    MUST(minor == attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    MUST(flags == 0 && active == 1);
    OK(cuDeviceCanAccessPeer(&can, 0, 0));
    MUST(can == 0);
    MUST(cuDeviceComputeCapability(&major, &minor, 99) == CUDA_ERROR_INVALID_DEVICE);
    MUST(cuDevicePrimaryCtxGetState(99, &flags, &active) == CUDA_ERROR_INVALID_DEVICE);
    MUST(cuDeviceCanAccessPeer(&can, 0, 99) == CUDA_ERROR_INVALID_DEVICE);
}

static void devices() {
    int value = 7, none = 99, first = 0;
    REFUSED(cudaDeviceEnablePeerAccess(99, 0), cudaErrorInvalidDevice);
    REFUSED(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice);  // no peer of itself
    REFUSED(cudaDeviceDisablePeerAccess(99), cudaErrorInvalidDevice);
    REFUSED(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 99),
            cudaErrorInvalidDevice);
    REFUSED(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrPerformanceRank, 0, 0),
            cudaErrorInvalidDevice);
    OK(cudaInitDevice(0, 0, 0));
    REFUSED(cudaInitDevice(99, 0, 0), cudaErrorInvalidDevice);
    OK(cudaSetValidDevices(&first, 1));
    OK(cudaSetValidDevices(nullptr, 0));
    REFUSED(cudaSetValidDevices(&none, 1), cudaErrorInvalidDevice);
    REFUSED(cudaSetValidDevices(nullptr, 1), cudaErrorInvalidValue);
    cudaFuncCache cache = cudaFuncCachePreferEqual;
    OK(cudaDeviceGetCacheConfig(&cache));
    MUST(cache == cudaFuncCachePreferNone);
    // Banks have had one width since Kepler's.
    cudaSharedMemConfig banks = cudaSharedMemBankSizeDefault;
    OK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
    OK(cudaFuncSetSharedMemConfig(reinterpret_cast<const void*>(add),
                                  cudaSharedMemBankSizeEightByte));
    OK(cudaDeviceGetSharedMemConfig(&banks));
    MUST(banks == cudaSharedMemBankSizeFourByte);
    OK(cudaCtxResetPersistingL2Cache());
    std::size_t most = 0;
    const auto format = cudaCreateChannelDesc<float>();
    OK(cudaDeviceGetTexture1DLinearMaxWidth(&most, &format, 0));
    MUST(most >= std::size_t{1} << 27);
    REFUSED(cudaDeviceGetTexture1DLinearMaxWidth(nullptr, &format, 0), cudaErrorInvalidValue);

    void* call = nullptr;
    cudaDriverEntryPointQueryResult found;
    OK(cudaGetDriverEntryPoint("cuDeviceGetCount", &call, cudaEnableDefault, &found));
    MUST(found == cudaDriverEntryPointSuccess && call != nullptr);
    value = 7;
    if (call != nullptr) MUST(reinterpret_cast<CUresult (*)(int*)>(call)(&value) == CUDA_SUCCESS);
    MUST(value == 1);
    OK(cudaGetDriverEntryPoint("cuNoSuchCall", &call, cudaEnableDefault, &found));
    MUST(found == cudaDriverEntryPointSymbolNotFound && call == nullptr);
}

static cuuint64_t of(CUmemoryPool pool, CUmemPool_attribute which) {
    cuuint64_t value = 99;
    OK(cuMemPoolGetAttribute(pool, which, &value));
    return value;
}
static void pools() {
    constexpr std::size_t mib = 1 << 20;
    CUmemPoolProps properties{};
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    CUmemoryPool standard, mine, told = nullptr;
    OK(cuDeviceGetDefaultMemPool(&standard, 0));
    OK(cuDeviceGetMemPool(&told, 0));
    MUST(told == standard);
    OK(cuMemPoolCreate(&mine, &properties));
    OK(cuDeviceSetMemPool(0, mine));
    OK(cuDeviceGetMemPool(&told, 0));
    MUST(told == mine);
    const cuuint64_t used = of(standard, CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
    cuuint64_t threshold = ~cuuint64_t{0}, none = 0, some = 5;
    OK(cuMemPoolSetAttribute(mine, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    MUST(of(mine, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) == threshold);
    CUdeviceptr first, second;
    OK(cuMemAllocAsync(&first, 3 * mib, stream));  // of the current pool
    OK(cuMemAllocAsync(&second, 2 * mib, stream));
    OK(cuMemFreeAsync(first, stream));
    OK(cuStreamSynchronize(stream));
    MUST(of(standard, CU_MEMPOOL_ATTR_USED_MEM_CURRENT) == used);
    MUST(of(mine, CU_MEMPOOL_ATTR_USED_MEM_CURRENT) == 2 * mib);
    MUST(of(mine, CU_MEMPOOL_ATTR_USED_MEM_HIGH) == 5 * mib);
    OK(cuMemPoolSetAttribute(mine, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &none));
    MUST(of(mine, CU_MEMPOOL_ATTR_USED_MEM_HIGH) == 2 * mib);
    OK(cuMemFreeAsync(second, stream));
    OK(cuStreamSynchronize(stream));
    MUST(of(mine, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) >= 5 * mib);  // the threshold keeps it
    OK(cuMemPoolTrimTo(mine, ~std::size_t{0}));
    MUST(of(mine, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) >= 5 * mib);
    OK(cuMemPoolTrimTo(mine, 0));
    MUST(of(mine, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) == 0);
    MUST(of(mine, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH) >= 5 * mib);
    int is_on = 7;
    OK(cuMemPoolGetAttribute(mine, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &is_on));
    MUST(is_on == 1);
    is_on = 0;
    OK(cuMemPoolSetAttribute(mine, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &is_on));
    is_on = 7;
    OK(cuMemPoolGetAttribute(mine, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &is_on));
    MUST(is_on == 0);
    MUST(cuMemPoolSetAttribute(mine, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &some) ==
         CUDA_ERROR_INVALID_VALUE);
    MUST(cuDeviceSetMemPool(0, nullptr) == CUDA_ERROR_INVALID_VALUE);
    int handle = 0;  // the pool was not made for that
    REFUSED(
        cudaMemPoolExportToShareableHandle(&handle, mine, cudaMemHandleTypePosixFileDescriptor, 0),
        cudaErrorInvalidValue);
    OK(cuDeviceSetMemPool(0, standard));
    OK(cuMemPoolDestroy(mine));
}

/// Of the work in a stream, what it has met and how far it is.
struct record {
    volatile bool is_done = false;
    CUstream called_in = nullptr;
    CUresult status = CUDA_ERROR_UNKNOWN;
    const int* seen = nullptr;
    int value = 0;
};
static void streams() {
    CUstream other, blocking;
    OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
    unsigned flags = 77;
    OK(cuStreamGetFlags(other, &flags));
    MUST(flags == CU_STREAM_NON_BLOCKING);
    OK(cuStreamGetFlags(blocking, &flags));
    MUST(flags == CU_STREAM_DEFAULT);
    CUevent event, never;
    OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    OK(cuEventCreate(&never, CU_EVENT_DISABLE_TIMING));
    OK(cuEventQuery(never));

    // The other stream copies what the first has set, late, and its callback sees it.
    CUdeviceptr from;
    OK(cuMemAlloc(&from, 16));
    int* pinned;
    OK(cuMemHostAlloc(reinterpret_cast<void**>(&pinned), 16, 0));
    for (int i = 0; i < 4; ++i) pinned[i] = -1;
    OK(cuMemsetD8(from, 1, 16));
    OK(cuCtxSynchronize());
    record late, called;
    called.seen = pinned;
    const auto wait = [](void* p) {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        static_cast<record*>(p)->is_done = true;
    };
    OK(cuLaunchHostFunc(stream, wait, &late));
    OK(cuMemsetD8Async(from + 4, 0x21, 8, stream));
    OK(cuEventRecord(event, stream));
    OK(cuStreamWaitEvent(other, event, CU_EVENT_WAIT_DEFAULT));
    OK(cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(pinned), from + 2, 8, other));
    const auto look = [](CUstream in, CUresult status, void* p) {
        auto& r = *static_cast<record*>(p);
        r.called_in = in, r.status = status, r.value = r.seen[1];
        r.is_done = true;
    };
    OK(cuStreamAddCallback(other, look, &called, 0));
    CUresult asked;
    while ((asked = cuEventQuery(event)) == CUDA_ERROR_NOT_READY) std::this_thread::yield();
    MUST(asked == CUDA_SUCCESS && late.is_done);
    OK(cuStreamSynchronize(other));
    MUST(called.is_done && called.called_in == other && called.status == CUDA_SUCCESS);
    MUST(called.value == 0x21212121);
    MUST(pinned[0] == 0x21210101 && pinned[1] == 0x21212121 && pinned[2] == -1);
    late.is_done = false;
    OK(cuLaunchHostFunc(stream, wait, &late));
    OK(cuEventRecord(event, stream));
    OK(cuEventSynchronize(event));
    MUST(late.is_done);
    MUST(cuEventSynchronize(nullptr) == CUDA_ERROR_INVALID_HANDLE);
    MUST(cuStreamWaitEvent(other, nullptr, 0) == CUDA_ERROR_INVALID_HANDLE);
}

static void attributes_of_streams() {
    cudaStream_t a, b, c;
    for (cudaStream_t* each : {&a, &b, &c}) OK(cudaStreamCreate(each));
    int number = 7;
    OK(cudaStreamGetDevice(a, &number));
    MUST(number == 0);
    REFUSED(cudaStreamGetDevice(a, nullptr), cudaErrorInvalidValue);
    void* p;
    OK(cudaMalloc(&p, 4096));
    cudaStreamAttrValue window{}, policy{}, told{};
    window.accessPolicyWindow.base_ptr = p, window.accessPolicyWindow.num_bytes = 2048;
    window.accessPolicyWindow.hitRatio = 0.5f;
    window.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    window.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    policy.syncPolicy = cudaSyncPolicyBlockingSync;
    OK(cudaStreamSetAttribute(a, cudaStreamAttributeAccessPolicyWindow, &window));
    OK(cudaStreamSetAttribute(a, cudaStreamAttributeSynchronizationPolicy, &policy));
    OK(cudaStreamCopyAttributes(b, a));
    for (const cudaStream_t each : {a, b}) {
        OK(cudaStreamGetAttribute(each, cudaStreamAttributeAccessPolicyWindow, &told));
        const auto& w = told.accessPolicyWindow;
        MUST(w.base_ptr == p && w.num_bytes == 2048 && w.hitRatio == 0.5f);
        MUST(w.hitProp == cudaAccessPropertyPersisting &&
             w.missProp == cudaAccessPropertyStreaming);
        OK(cudaStreamGetAttribute(each, cudaStreamAttributeSynchronizationPolicy, &told));
        MUST(told.syncPolicy == cudaSyncPolicyBlockingSync);
    }
    OK(cudaStreamGetAttribute(c, cudaStreamAttributeAccessPolicyWindow, &told));
    MUST(told.accessPolicyWindow.num_bytes == 0);
    REFUSED(cudaStreamGetAttribute(a, cudaStreamAttributeAccessPolicyWindow, nullptr),
            cudaErrorInvalidValue);
}

static std::size_t shared_of(int threads) { return 100 * static_cast<std::size_t>(threads); }
static void functions() {
    const CUfunction f = function();
    CUfunctionLoadingState state = CU_FUNCTION_LOADING_STATE_UNLOADED;
    OK(cuFuncLoad(f));
    OK(cuFuncIsLoaded(&state, f));
    MUST(state == CU_FUNCTION_LOADING_STATE_LOADED);
    MUST(cuFuncLoad(nullptr) == CUDA_ERROR_INVALID_HANDLE);
    MUST(cuFuncIsLoaded(&state, nullptr) == CUDA_ERROR_INVALID_HANDLE);

    const int own = 256 * sizeof(int);  // of `more`
    const int all = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    const int kept = attribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
    const int most = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    for (const int blocks : {1, 2, 4}) {
        std::size_t got = 0;
        OK(cuOccupancyAvailableDynamicSMemPerBlock(&got, f, blocks, 256));
        const int each = all / blocks - kept;
        MUST(got == static_cast<std::size_t>((each < most ? each : most) - own));
    }
    int blocks = 0, grid = 0, block = 0, best = 0;
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, f, 128, 40000,
                                                            CU_OCCUPANCY_DEFAULT));
    MUST(blocks == all / (40000 + own + kept));
    OK(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, f, shared_of, 0, 200,
                                                 CU_OCCUPANCY_DEFAULT));
    for (int threads = 32; threads <= 200; threads += 32) {
        OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, threads, shared_of(threads)));
        if (blocks * threads > best) best = blocks * threads;
    }
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, block, shared_of(block)));
    MUST(block <= 200 && blocks * block == best);
    MUST(grid == blocks * attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
    MUST(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(nullptr, f, 128, 0, 0) ==
         CUDA_ERROR_INVALID_VALUE);
}

int main() {
    CUcontext context;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    device();
    devices();
    pools();
    streams();
    attributes_of_streams();
    functions();
    // A reset gives limits the values that they had; the runtime API may go on.
    std::size_t before = 0, now = 0;
    OK(cuCtxGetLimit(&before, CU_LIMIT_STACK_SIZE));
    OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4 * before));
    OK(cuDevicePrimaryCtxReset(0));
    MUST(cudaDeviceGetLimit(&now, cudaLimitStackSize) == cudaSuccess && now == before);
    return verdict();
}
