// The runtime API: what a device says of itself.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "cuset_host/cuda_types.h"
#include "cuset_host/faults.h"
#include "cuset_host/threads/execution.h"
#include "device_model.h"

using namespace cuset_host;

namespace {

/// What all devices say alike.
constexpr struct {
    cudaDeviceAttr attribute;
    int value;
} alike[] = {
    {cudaDevAttrMaxThreadsPerBlock, 1024},
    {cudaDevAttrMaxBlockDimX, 1024},
    {cudaDevAttrMaxBlockDimY, 1024},
    {cudaDevAttrMaxBlockDimZ, 64},
    {cudaDevAttrMaxGridDimX, 0x7fffffff},
    {cudaDevAttrMaxGridDimY, 65535},
    {cudaDevAttrMaxGridDimZ, 65535},
    {cudaDevAttrMaxSharedMemoryPerBlock, int{shared_without_opting_in}},
    {cudaDevAttrTotalConstantMemory, 65536},
    {cudaDevAttrWarpSize, 32},
    {cudaDevAttrMaxRegistersPerBlock, 65536},
    {cudaDevAttrMaxRegistersPerMultiprocessor, 65536},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrCooperativeLaunch, 1},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrConcurrentManagedAccess, 1},
    {cudaDevAttrCanMapHostMemory, 1},
    {cudaDevAttrStreamPrioritiesSupported, 1},
    {cudaDevAttrGlobalL1CacheSupported, 1},
    {cudaDevAttrLocalL1CacheSupported, 1},
    {cudaDevAttrComputePreemptionSupported, 1},
    {cudaDevAttrMemoryPoolsSupported, 1},
    {cudaDevAttrAsyncEngineCount, 3},
    {cudaDevAttrGpuOverlap, 1},
    {cudaDevAttrHostRegisterSupported, 1},
    {cudaDevAttrSparseCudaArraySupported, 1},
    {cudaDevAttrDeferredMappingCudaArraySupported, 1},
    {static_cast<cudaDeviceAttr>(122), 1},  // the driver's: 64-bit values of streams
    {static_cast<cudaDeviceAttr>(123), 1},  // and CU_STREAM_WAIT_VALUE_NOR
    {cudaDevAttrMaxPitch, 0x7fffffff},
    {cudaDevAttrTextureAlignment, 512},
    {cudaDevAttrSurfaceAlignment, 512},
    {cudaDevAttrTexturePitchAlignment, 32},
    {cudaDevAttrSingleToDoublePrecisionPerfRatio, 2},
    {cudaDevAttrReservedSharedMemoryPerBlock, 1024},
    {cudaDevAttrMaxTexture1DWidth, 131072},
    {cudaDevAttrMaxTexture2DWidth, 131072},
    {cudaDevAttrMaxSurface2DWidth, 131072},
    {cudaDevAttrMaxTexture2DHeight, 65536},
    {cudaDevAttrMaxSurface2DHeight, 65536},
    {cudaDevAttrMaxTexture3DWidth, 16384},
    {cudaDevAttrMaxTexture3DHeight, 16384},
    {cudaDevAttrMaxTexture3DDepth, 16384},
    {cudaDevAttrMaxSurface3DWidth, 16384},
    {cudaDevAttrMaxSurface3DHeight, 16384},
    {cudaDevAttrMaxSurface3DDepth, 16384},
    {cudaDevAttrMaxTexture2DLayeredWidth, 32768},
    {cudaDevAttrMaxTexture2DLayeredHeight, 32768},
    {cudaDevAttrMaxTexture1DLayeredWidth, 32768},
    {cudaDevAttrMaxTextureCubemapWidth, 32768},
    {cudaDevAttrMaxTexture2DGatherWidth, 32768},
    {cudaDevAttrMaxTexture2DGatherHeight, 32768},
    {cudaDevAttrMaxTexture2DMipmappedWidth, 32768},
    {cudaDevAttrMaxTexture2DMipmappedHeight, 32768},
    {cudaDevAttrMaxTexture1DMipmappedWidth, 32768},
    {cudaDevAttrMaxTextureCubemapLayeredWidth, 32768},
    {cudaDevAttrMaxSurfaceCubemapWidth, 32768},
    {cudaDevAttrMaxSurfaceCubemapLayeredWidth, 32768},
    {cudaDevAttrMaxSurface1DLayeredWidth, 32768},
    {cudaDevAttrMaxSurface2DLayeredWidth, 32768},
    {cudaDevAttrMaxSurface2DLayeredHeight, 32768},
    {cudaDevAttrMaxSurface1DWidth, 32768},
    {cudaDevAttrMaxTextureCubemapLayeredLayers, 2046},
    {cudaDevAttrMaxSurfaceCubemapLayeredLayers, 2046},
    {cudaDevAttrMaxTexture1DLinearWidth, 268435456},
    {cudaDevAttrMaxTexture2DLinearWidth, 131072},
    {cudaDevAttrMaxTexture2DLinearHeight, 65000},
    {cudaDevAttrMaxTexture2DLinearPitch, 2097120},
    {cudaDevAttrMaxSurface1DLayeredLayers, 2048},
    {cudaDevAttrMaxSurface2DLayeredLayers, 2048},
    {cudaDevAttrMaxTexture2DLayeredLayers, 2048},
    {cudaDevAttrMaxTexture1DLayeredLayers, 2048},
    {cudaDevAttrPciDomainId, 0},
    {cudaDevAttrMultiGpuBoardGroupID, 0},
    {cudaDevAttrHostNativeAtomicSupported, 0},
    {cudaDevAttrCanFlushRemoteWrites, 0},
    {cudaDevAttrHostRegisterReadOnlySupported, 0},
    {cudaDevAttrTimelineSemaphoreInteropSupported, 0},
    {cudaDevAttrGPUDirectRDMASupported, 0},
    {cudaDevAttrMemoryPoolSupportedHandleTypes, 0},
    {cudaDevAttrIpcEventSupport, 0},
    {cudaDevAttrGPUDirectRDMAFlushWritesOptions, 0},
    {cudaDevAttrGPUDirectRDMAWritesOrdering, 0},
    {cudaDevAttrD3D12CigSupported, 0},
    {cudaDevAttrVulkanCigSupported, 0},
    {cudaDevAttrHostNumaMemoryPoolsSupported, 0},
    {cudaDevAttrHostNumaMultinodeIpcSupported, 0},
    {cudaDevAttrHostMemoryPoolsSupported, 0},
    {cudaDevAttrOnlyPartialHostNativeAtomicSupported, 0},
    {cudaDevAttrMpsEnabled, 0},
    {cudaDevAttrMemSyncDomainCount, 1},
    {cudaDevAttrKernelExecTimeout, 0},
    {cudaDevAttrComputeMode, 0},
    {cudaDevAttrEccEnabled, 0},
    {cudaDevAttrPciBusId, 0},
    {cudaDevAttrPciDeviceId, 0},
    {cudaDevAttrTccDriver, 0},
    {cudaDevAttrIsMultiGpuBoard, 0},
    {cudaDevAttrCanUseHostPointerForRegisteredMem, 0},
    {cudaDevAttrPageableMemoryAccess, 0},
    {cudaDevAttrPageableMemoryAccessUsesHostPageTables, 0},
    {cudaDevAttrDirectManagedMemAccessFromHost, 0},
    {cudaDevAttrIntegrated, 0},
};

std::optional<int> attribute_of_device(cudaDeviceAttr attribute) {
    const device_model& d = device();
    switch (attribute) {
        case cudaDevAttrMaxSharedMemoryPerBlockOptin: return static_cast<int>(d.shared_per_block);
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
            return static_cast<int>(d.shared_per_processor);
        case cudaDevAttrClockRate: return d.clock_khz;
        case cudaDevAttrMemoryClockRate: return d.memory_clock_khz;
        case cudaDevAttrGlobalMemoryBusWidth: return d.bus_bits;
        case cudaDevAttrL2CacheSize: return static_cast<int>(d.l2_cache);
        case cudaDevAttrMultiProcessorCount: return d.processors;
        case cudaDevAttrMaxThreadsPerMultiProcessor: return d.threads_per_processor;
        case cudaDevAttrMaxBlocksPerMultiprocessor: return d.blocks_per_processor;
        case cudaDevAttrComputeCapabilityMajor: return d.major;
        case cudaDevAttrComputeCapabilityMinor: return d.minor;
        case cudaDevAttrClusterLaunch: return d.major >= 9;
        case cudaDevAttrMaxPersistingL2CacheSize:
        case cudaDevAttrMaxAccessPolicyWindowSize: return static_cast<int>(d.l2_cache / 8 * 5);
        default: break;
    }
    for (const auto& [known, value] : alike)
        if (known == attribute) return value;
    return std::nullopt;
}

/// The same, which is known to be there.
int value_of(cudaDeviceAttr attribute) { return attribute_of_device(attribute).value(); }

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int number) {
    if (p == nullptr) return set_error(cudaErrorInvalidValue);
    if (number != 0) return set_error(cudaErrorInvalidDevice);
    driver_is_initialised = true;
    const device_model& d = device();
    std::memset(p, 0, sizeof *p);
    std::snprintf(p->name, sizeof p->name, "%s", d.name);
    p->totalGlobalMem = d.memory;
    const std::pair<std::size_t*, cudaDeviceAttr> sizes[] = {
        {&p->sharedMemPerBlock, cudaDevAttrMaxSharedMemoryPerBlock},
        {&p->sharedMemPerBlockOptin, cudaDevAttrMaxSharedMemoryPerBlockOptin},
        {&p->sharedMemPerMultiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor},
        {&p->reservedSharedMemPerBlock, cudaDevAttrReservedSharedMemoryPerBlock},
        {&p->totalConstMem, cudaDevAttrTotalConstantMemory},
        {&p->memPitch, cudaDevAttrMaxPitch},
        {&p->textureAlignment, cudaDevAttrTextureAlignment},
        {&p->texturePitchAlignment, cudaDevAttrTexturePitchAlignment},
        {&p->surfaceAlignment, cudaDevAttrSurfaceAlignment},
    };
    const std::pair<int*, cudaDeviceAttr> numbers[] = {
        {&p->regsPerBlock, cudaDevAttrMaxRegistersPerBlock},
        {&p->regsPerMultiprocessor, cudaDevAttrMaxRegistersPerMultiprocessor},
        {&p->warpSize, cudaDevAttrWarpSize},
        {&p->maxThreadsPerBlock, cudaDevAttrMaxThreadsPerBlock},
        {&p->maxThreadsPerMultiProcessor, cudaDevAttrMaxThreadsPerMultiProcessor},
        {&p->maxBlocksPerMultiProcessor, cudaDevAttrMaxBlocksPerMultiprocessor},
        {&p->maxThreadsDim[0], cudaDevAttrMaxBlockDimX},
        {&p->maxThreadsDim[1], cudaDevAttrMaxBlockDimY},
        {&p->maxThreadsDim[2], cudaDevAttrMaxBlockDimZ},
        {&p->maxGridSize[0], cudaDevAttrMaxGridDimX},
        {&p->maxGridSize[1], cudaDevAttrMaxGridDimY},
        {&p->maxGridSize[2], cudaDevAttrMaxGridDimZ},
        {&p->major, cudaDevAttrComputeCapabilityMajor},
        {&p->minor, cudaDevAttrComputeCapabilityMinor},
        {&p->multiProcessorCount, cudaDevAttrMultiProcessorCount},
        {&p->canMapHostMemory, cudaDevAttrCanMapHostMemory},
        {&p->unifiedAddressing, cudaDevAttrUnifiedAddressing},
        {&p->managedMemory, cudaDevAttrManagedMemory},
        {&p->concurrentManagedAccess, cudaDevAttrConcurrentManagedAccess},
        {&p->concurrentKernels, cudaDevAttrConcurrentKernels},
        {&p->asyncEngineCount, cudaDevAttrAsyncEngineCount},
        {&p->memoryBusWidth, cudaDevAttrGlobalMemoryBusWidth},
        {&p->l2CacheSize, cudaDevAttrL2CacheSize},
        {&p->cooperativeLaunch, cudaDevAttrCooperativeLaunch},
        {&p->clusterLaunch, cudaDevAttrClusterLaunch},
        {&p->computePreemptionSupported, cudaDevAttrComputePreemptionSupported},
        {&p->globalL1CacheSupported, cudaDevAttrGlobalL1CacheSupported},
        {&p->localL1CacheSupported, cudaDevAttrLocalL1CacheSupported},
        {&p->memoryPoolsSupported, cudaDevAttrMemoryPoolsSupported},
        {&p->streamPrioritiesSupported, cudaDevAttrStreamPrioritiesSupported},
        {&p->hostRegisterSupported, cudaDevAttrHostRegisterSupported},
        {&p->sparseCudaArraySupported, cudaDevAttrSparseCudaArraySupported},
        {&p->deferredMappingCudaArraySupported, cudaDevAttrDeferredMappingCudaArraySupported},
        {&p->persistingL2CacheMaxSize, cudaDevAttrMaxPersistingL2CacheSize},
        {&p->accessPolicyMaxWindowSize, cudaDevAttrMaxAccessPolicyWindowSize},
        {&p->maxTexture1D, cudaDevAttrMaxTexture1DWidth},
        {&p->maxTexture1DMipmap, cudaDevAttrMaxTexture1DMipmappedWidth},
        {&p->maxTexture1DLayered[0], cudaDevAttrMaxTexture1DLayeredWidth},
        {&p->maxTexture1DLayered[1], cudaDevAttrMaxTexture1DLayeredLayers},
        {&p->maxTexture2D[0], cudaDevAttrMaxTexture2DWidth},
        {&p->maxTexture2D[1], cudaDevAttrMaxTexture2DHeight},
        {&p->maxTexture2DMipmap[0], cudaDevAttrMaxTexture2DMipmappedWidth},
        {&p->maxTexture2DMipmap[1], cudaDevAttrMaxTexture2DMipmappedHeight},
        {&p->maxTexture2DLinear[0], cudaDevAttrMaxTexture2DLinearWidth},
        {&p->maxTexture2DLinear[1], cudaDevAttrMaxTexture2DLinearHeight},
        {&p->maxTexture2DLinear[2], cudaDevAttrMaxTexture2DLinearPitch},
        {&p->maxTexture2DGather[0], cudaDevAttrMaxTexture2DGatherWidth},
        {&p->maxTexture2DGather[1], cudaDevAttrMaxTexture2DGatherHeight},
        {&p->maxTexture2DLayered[0], cudaDevAttrMaxTexture2DLayeredWidth},
        {&p->maxTexture2DLayered[1], cudaDevAttrMaxTexture2DLayeredHeight},
        {&p->maxTexture2DLayered[2], cudaDevAttrMaxTexture2DLayeredLayers},
        {&p->maxTexture3D[0], cudaDevAttrMaxTexture3DWidth},
        {&p->maxTexture3D[1], cudaDevAttrMaxTexture3DHeight},
        {&p->maxTexture3D[2], cudaDevAttrMaxTexture3DDepth},
        {&p->maxTextureCubemap, cudaDevAttrMaxTextureCubemapWidth},
        {&p->maxTextureCubemapLayered[0], cudaDevAttrMaxTextureCubemapLayeredWidth},
        {&p->maxTextureCubemapLayered[1], cudaDevAttrMaxTextureCubemapLayeredLayers},
        {&p->maxSurface1D, cudaDevAttrMaxSurface1DWidth},
        {&p->maxSurface1DLayered[0], cudaDevAttrMaxSurface1DLayeredWidth},
        {&p->maxSurface1DLayered[1], cudaDevAttrMaxSurface1DLayeredLayers},
        {&p->maxSurface2D[0], cudaDevAttrMaxSurface2DWidth},
        {&p->maxSurface2D[1], cudaDevAttrMaxSurface2DHeight},
        {&p->maxSurface2DLayered[0], cudaDevAttrMaxSurface2DLayeredWidth},
        {&p->maxSurface2DLayered[1], cudaDevAttrMaxSurface2DLayeredHeight},
        {&p->maxSurface2DLayered[2], cudaDevAttrMaxSurface2DLayeredLayers},
        {&p->maxSurface3D[0], cudaDevAttrMaxSurface3DWidth},
        {&p->maxSurface3D[1], cudaDevAttrMaxSurface3DHeight},
        {&p->maxSurface3D[2], cudaDevAttrMaxSurface3DDepth},
        {&p->maxSurfaceCubemap, cudaDevAttrMaxSurfaceCubemapWidth},
        {&p->maxSurfaceCubemapLayered[0], cudaDevAttrMaxSurfaceCubemapLayeredWidth},
        {&p->maxSurfaceCubemapLayered[1], cudaDevAttrMaxSurfaceCubemapLayeredLayers},
    };
    for (const auto& [to, attribute] : sizes) *to = static_cast<std::size_t>(value_of(attribute));
    for (const auto& [to, attribute] : numbers) *to = value_of(attribute);
    std::copy(p->maxTexture3D, p->maxTexture3D + 3, p->maxTexture3DAlt);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int number) {
    driver_is_initialised = true;
    if (value == nullptr) return set_error(cudaErrorInvalidValue);
    if (number != 0) return set_error(cudaErrorInvalidDevice);
    // The runtime API has no names for virtual memory, which the driver's has, and for waiting in
    // streams, with one number for both.
    constexpr int virtual_memory = 102, first_stream_wait = 92, last_stream_wait = 94;
    constexpr int beyond_all = 256;
    const int asked = static_cast<int>(attribute);
    if (asked <= 0 || asked >= beyond_all) return set_error(cudaErrorInvalidValue);
    if (asked == virtual_memory) {
        *value = 1;
        return cudaSuccess;
    }
    if (asked >= first_stream_wait && asked <= last_stream_wait) {
        *value = 0;
        return cudaSuccess;
    }
    const std::optional<int> known = attribute_of_device(attribute);
    if (!known)
        fail("unsupported",
             "cudaDeviceGetAttribute of attribute " + std::to_string(static_cast<int>(attribute)));
    *value = *known;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* elements,
                                                 const cudaChannelFormatDesc* format, int number) {
    if (elements == nullptr || format == nullptr) return set_error(cudaErrorInvalidValue);
    if (number != 0) return set_error(cudaErrorInvalidDevice);
    *elements = std::size_t{1} << 28;
    return cudaSuccess;
}

}  // extern "C"
