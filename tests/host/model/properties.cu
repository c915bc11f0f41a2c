// What a device says of itself, whichever GPU it is; occupancy; attributes of kernels; versions.
#include "check.h"

__global__ void plain(int* out) { out[threadIdx.x] = threadIdx.x; }
__global__ void __launch_bounds__(256) bounded(int* out) { out[threadIdx.x] = 1; }
__global__ void with_shared(float* out) {
    __shared__ float cells[2048];
    extern __shared__ float more[];
    cells[threadIdx.x] = more[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = cells[255 - threadIdx.x] + more[255 - threadIdx.x];
}

int main() {
    int count = 0, device_id = -1, value = 0, runtime = 0, driver = 0;
    OK(cudaGetDeviceCount(&count));
    expect("devices", 0, count >= 1, 1);
    OK(cudaSetDevice(0));
    OK(cudaGetDevice(&device_id));
    expect("device", 0, device_id, 0);
    expect("no such device", 0, cudaSetDevice(count), cudaErrorInvalidDevice);
    expect("its error", 0, cudaGetLastError(), cudaErrorInvalidDevice);
    OK(cudaRuntimeGetVersion(&runtime));
    OK(cudaDriverGetVersion(&driver));
    expect("versions", 0, runtime >= 11000 && driver >= 11000, 1);

    cudaDeviceProp p;
    std::memset(&p, 0, sizeof p);
    OK(cudaGetDeviceProperties(&p, 0));
    expect("name", 0, std::strlen(p.name) > 0 && std::strlen(p.name) < sizeof p.name, 1);
    expect("warpSize", 0, p.warpSize, 32);
    expect("maxThreadsPerBlock", 0, p.maxThreadsPerBlock, 1024);
    expect("maxThreadsDim", 0, p.maxThreadsDim[0], 1024);
    expect("maxThreadsDim", 1, p.maxThreadsDim[1], 1024);
    expect("maxThreadsDim", 2, p.maxThreadsDim[2], 64);
    expect("maxGridSize", 0, p.maxGridSize[0], 2147483647);
    expect("maxGridSize", 1, p.maxGridSize[1], 65535);
    expect("maxGridSize", 2, p.maxGridSize[2], 65535);
    expect("sharedMemPerBlock", 0, p.sharedMemPerBlock, 49152);
    expect("sharedMemPerBlockOptin", 0, p.sharedMemPerBlockOptin >= p.sharedMemPerBlock, 1);
    expect("totalConstMem", 0, p.totalConstMem, 65536);
    expect("regsPerBlock", 0, p.regsPerBlock, 65536);
    expect("major", 0, p.major >= 7 && p.minor >= 0, 1);
    expect("multiProcessorCount", 0, p.multiProcessorCount >= 1, 1);
    expect("maxThreadsPerMultiProcessor", 0, p.maxThreadsPerMultiProcessor >= 1024, 1);
    expect("totalGlobalMem", 0, p.totalGlobalMem >= (1u << 30), 1);
    expect("l2CacheSize", 0, p.l2CacheSize > 0, 1);

    const cudaDeviceAttr attributes[] = {cudaDevAttrWarpSize,
                                         cudaDevAttrMaxThreadsPerBlock,
                                         cudaDevAttrMaxGridDimX,
                                         cudaDevAttrMaxSharedMemoryPerBlock,
                                         cudaDevAttrMultiProcessorCount,
                                         cudaDevAttrComputeCapabilityMajor,
                                         cudaDevAttrComputeCapabilityMinor,
                                         cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                         cudaDevAttrMaxThreadsPerMultiProcessor};
    const long long told[] = {p.warpSize,
                              p.maxThreadsPerBlock,
                              p.maxGridSize[0],
                              (long long)p.sharedMemPerBlock,
                              p.multiProcessorCount,
                              p.major,
                              p.minor,
                              (long long)p.sharedMemPerBlockOptin,
                              p.maxThreadsPerMultiProcessor};
    for (int i = 0; i < 9; ++i) {
        OK(cudaDeviceGetAttribute(&value, attributes[i], 0));
        expect("attribute", i, value, told[i]);
    }

    cudaFuncAttributes a;
    OK(cudaFuncGetAttributes(&a, plain));
    expect("maxThreadsPerBlock of a kernel", 0, a.maxThreadsPerBlock, 1024);
    // sharedSizeBytes and launch bounds are not asked for: the host model does not know them here.
    OK(cudaFuncGetAttributes(&a, bounded));

    int blocks = 0;
    const int most = p.maxThreadsPerMultiProcessor;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 256, 0));
    expect("occupancy, 256 threads", 0, blocks, most / 256);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 1024, 0));
    expect("occupancy, 1024 threads", 0, blocks, most / 1024);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 32, 48 * 1024));
    expect("occupancy, 48 KiB", 0,
           blocks >= 1 && blocks <= int(p.sharedMemPerMultiprocessor / 49152), 1);
    int least_grid = 0, block = 0;
    OK(cudaOccupancyMaxPotentialBlockSize(&least_grid, &block, plain, 0, 0));
    expect("block size", 0, block >= 32 && block <= 1024 && block % 32 == 0, 1);
    expect("grid size", 0, least_grid >= p.multiProcessorCount, 1);

    float* out = device<float>(256);
    with_shared<<<1, 256, 1024>>>(out);
    const std::vector<float> got = taken(out, 256);
    for (int i = 0; i < 256; ++i) expect("with shared", i, got[i], 2 * (255 - i));
    int can = -1;
    OK(cudaDeviceCanAccessPeer(&can, 0, 0));
    expect("no peer of itself", 0, can, 0);
    OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    OK(cudaFuncSetCacheConfig(plain, cudaFuncCachePreferShared));
    const cudaLimit limits[] = {cudaLimitStackSize,        cudaLimitPrintfFifoSize,
                                cudaLimitMallocHeapSize,   cudaLimitDevRuntimePendingLaunchCount,
                                cudaLimitMaxL2FetchGranularity, cudaLimitPersistingL2CacheSize};
    for (int i = 0; i < 6; ++i) {
        size_t kept = 0;
        OK(cudaDeviceSetLimit(limits[i], 4096));
        OK(cudaDeviceGetLimit(&kept, limits[i]));
        expect("limit", i, kept, 4096);
    }
    OK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, size_t{1} << 40));
    size_t persisting = 0;
    OK(cudaDeviceGetLimit(&persisting, cudaLimitPersistingL2CacheSize));
    expect("persisting L2 at most", 0, persisting, p.persistingL2CacheMaxSize);
    // Attributes and properties tell the same. Kernels do not reach pageable memory here.
    const struct {
        cudaDeviceAttr attribute;
        int property;
    } both[] = {{cudaDevAttrStreamPrioritiesSupported, p.streamPrioritiesSupported},
                {cudaDevAttrMaxPersistingL2CacheSize, p.persistingL2CacheMaxSize},
                {cudaDevAttrMaxAccessPolicyWindowSize, p.accessPolicyMaxWindowSize},
                {cudaDevAttrMemoryPoolsSupported, p.memoryPoolsSupported},
                {cudaDevAttrPageableMemoryAccess, p.pageableMemoryAccess},
                {cudaDevAttrMaxTexture2DLayeredLayers, p.maxTexture2DLayered[2]},
                {cudaDevAttrMaxSurface2DHeight, p.maxSurface2D[1]}};
    for (const auto& each : both) {
        int told = -1;
        OK(cudaDeviceGetAttribute(&told, each.attribute, 0));
        expect("attribute", each.attribute, told, each.property);
    }
    expect("pageable", 0, p.pageableMemoryAccess, 0);
    int none = 0;
    expect("no attribute", 0, cudaDeviceGetAttribute(&none, cudaDeviceAttr(9999), 0),
           cudaErrorInvalidValue);
    expect("nowhere to", 0, cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0),
           cudaErrorInvalidValue);
    cudaStream_t stream;
    expect("unknown flags", 0, cudaStreamCreateWithFlags(&stream, 77), cudaErrorInvalidValue);
    cudaGetLastError();
    OK(cudaDeviceReset());
    return verdict();
}
