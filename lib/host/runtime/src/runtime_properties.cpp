// The runtime API: what a device says of itself.
#include <cstdio>
#include <cstring>
#include <string>

#include "cuset_host/cuda_types.h"
#include "cuset_host/execution.h"
#include "cuset_host/faults.h"
#include "device_model.h"

using namespace cuset_host;

extern "C" {

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int number) {
    if (p == nullptr) return set_error(cudaErrorInvalidValue);
    if (number != 0) return set_error(cudaErrorInvalidDevice);
    const device_model& d = device();
    std::memset(p, 0, sizeof *p);
    std::snprintf(p->name, sizeof p->name, "%s", d.name);
    p->totalGlobalMem = d.memory;
    p->sharedMemPerBlock = shared_without_opting_in;
    p->sharedMemPerBlockOptin = d.shared_per_block;
    p->sharedMemPerMultiprocessor = d.shared_per_processor;
    p->regsPerBlock = 65536;
    p->regsPerMultiprocessor = 65536;
    p->warpSize = 32;
    p->memPitch = 0x7fffffff;
    p->maxThreadsPerBlock = 1024;
    p->maxThreadsPerMultiProcessor = d.threads_per_processor;
    p->maxBlocksPerMultiProcessor = d.blocks_per_processor;
    p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
    p->maxThreadsDim[2] = 64;
    p->maxGridSize[0] = 0x7fffffff;
    p->maxGridSize[1] = p->maxGridSize[2] = 65535;
    p->totalConstMem = 65536;
    p->major = d.major;
    p->minor = d.minor;
    p->textureAlignment = 512;
    p->texturePitchAlignment = 32;
    p->multiProcessorCount = d.processors;
    p->canMapHostMemory = 1;
    p->unifiedAddressing = 1;
    p->managedMemory = 1;
    p->concurrentManagedAccess = 1;
    p->concurrentKernels = 1;
    p->asyncEngineCount = 3;
    p->memoryBusWidth = d.bus_bits;
    p->l2CacheSize = static_cast<int>(d.l2_cache);
    p->cooperativeLaunch = 1;
    p->clusterLaunch = d.major >= 9;
    p->computePreemptionSupported = 1;
    p->globalL1CacheSupported = 1;
    p->localL1CacheSupported = 1;
    p->memoryPoolsSupported = 1;
    p->streamPrioritiesSupported = 1;
    p->hostRegisterSupported = 1;
    p->sparseCudaArraySupported = 1;
    p->deferredMappingCudaArraySupported = 1;
    p->surfaceAlignment = 512;
    p->reservedSharedMemPerBlock = 1024;
    p->persistingL2CacheMaxSize = p->accessPolicyMaxWindowSize =
        static_cast<int>(d.l2_cache / 8 * 5);
    p->maxTexture1DLayered[0] = p->maxTexture2DLayered[0] = p->maxTexture2DLayered[1] = 32768;
    p->maxTexture1DLayered[1] = p->maxTexture2DLayered[2] = 2048;
    p->maxTextureCubemap = p->maxSurface1D = 32768;
    p->maxSurface2D[0] = 131072;
    p->maxSurface2D[1] = 65536;
    p->maxSurface3D[0] = p->maxSurface3D[1] = p->maxSurface3D[2] = 16384;
    p->maxTexture1D = 131072;
    p->maxTexture2D[0] = 131072;
    p->maxTexture2D[1] = 65536;
    p->maxTexture3D[0] = p->maxTexture3D[1] = p->maxTexture3D[2] = 16384;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int number) {
    if (value == nullptr) return set_error(cudaErrorInvalidValue);
    if (number != 0) return set_error(cudaErrorInvalidDevice);
    const device_model& d = device();
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
    switch (attribute) {
        case cudaDevAttrMaxThreadsPerBlock:
        case cudaDevAttrMaxBlockDimX:
        case cudaDevAttrMaxBlockDimY: *value = 1024; break;
        case cudaDevAttrMaxBlockDimZ: *value = 64; break;
        case cudaDevAttrMaxGridDimX: *value = 0x7fffffff; break;
        case cudaDevAttrMaxGridDimY:
        case cudaDevAttrMaxGridDimZ: *value = 65535; break;
        case cudaDevAttrMaxSharedMemoryPerBlock: *value = int{shared_without_opting_in}; break;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin:
            *value = static_cast<int>(d.shared_per_block);
            break;
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
            *value = static_cast<int>(d.shared_per_processor);
            break;
        case cudaDevAttrTotalConstantMemory: *value = 65536; break;
        case cudaDevAttrWarpSize: *value = 32; break;
        case cudaDevAttrMaxRegistersPerBlock:
        case cudaDevAttrMaxRegistersPerMultiprocessor: *value = 65536; break;
        case cudaDevAttrClockRate: *value = d.clock_khz; break;
        case cudaDevAttrMemoryClockRate: *value = d.memory_clock_khz; break;
        case cudaDevAttrGlobalMemoryBusWidth: *value = d.bus_bits; break;
        case cudaDevAttrL2CacheSize: *value = static_cast<int>(d.l2_cache); break;
        case cudaDevAttrMultiProcessorCount: *value = d.processors; break;
        case cudaDevAttrMaxThreadsPerMultiProcessor: *value = d.threads_per_processor; break;
        case cudaDevAttrMaxBlocksPerMultiprocessor: *value = d.blocks_per_processor; break;
        case cudaDevAttrComputeCapabilityMajor: *value = d.major; break;
        case cudaDevAttrComputeCapabilityMinor: *value = d.minor; break;
        case cudaDevAttrConcurrentKernels:
        case cudaDevAttrCooperativeLaunch:
        case cudaDevAttrUnifiedAddressing:
        case cudaDevAttrManagedMemory:
        case cudaDevAttrConcurrentManagedAccess:
        case cudaDevAttrCanMapHostMemory: *value = 1; break;
        case cudaDevAttrStreamPrioritiesSupported:
        case cudaDevAttrGlobalL1CacheSupported:
        case cudaDevAttrLocalL1CacheSupported:
        case cudaDevAttrComputePreemptionSupported:
        case cudaDevAttrMemoryPoolsSupported: *value = 1; break;
        case cudaDevAttrClusterLaunch: *value = d.major >= 9; break;
        case cudaDevAttrAsyncEngineCount: *value = 3; break;
        case cudaDevAttrGpuOverlap:
        case cudaDevAttrHostRegisterSupported:
        case cudaDevAttrSparseCudaArraySupported:
        case cudaDevAttrDeferredMappingCudaArraySupported: *value = 1; break;
        case cudaDevAttrMaxPitch: *value = 0x7fffffff; break;
        case cudaDevAttrTextureAlignment:
        case cudaDevAttrSurfaceAlignment: *value = 512; break;
        case cudaDevAttrTexturePitchAlignment: *value = 32; break;
        case cudaDevAttrSingleToDoublePrecisionPerfRatio: *value = 2; break;
        case cudaDevAttrReservedSharedMemoryPerBlock: *value = 1024; break;
        case cudaDevAttrMaxPersistingL2CacheSize:
        case cudaDevAttrMaxAccessPolicyWindowSize:
            *value = static_cast<int>(d.l2_cache / 8 * 5);
            break;
        case cudaDevAttrMaxTexture1DWidth:
        case cudaDevAttrMaxTexture2DWidth:
        case cudaDevAttrMaxSurface2DWidth: *value = 131072; break;
        case cudaDevAttrMaxTexture2DHeight:
        case cudaDevAttrMaxSurface2DHeight: *value = 65536; break;
        case cudaDevAttrMaxTexture3DWidth:
        case cudaDevAttrMaxTexture3DHeight:
        case cudaDevAttrMaxTexture3DDepth:
        case cudaDevAttrMaxSurface3DWidth:
        case cudaDevAttrMaxSurface3DHeight:
        case cudaDevAttrMaxSurface3DDepth: *value = 16384; break;
        case cudaDevAttrMaxTexture2DLayeredWidth:
        case cudaDevAttrMaxTexture2DLayeredHeight:
        case cudaDevAttrMaxTexture1DLayeredWidth:
        case cudaDevAttrMaxTextureCubemapWidth:
        case cudaDevAttrMaxTexture2DGatherWidth:
        case cudaDevAttrMaxTexture2DGatherHeight:
        case cudaDevAttrMaxTexture2DMipmappedWidth:
        case cudaDevAttrMaxTexture2DMipmappedHeight:
        case cudaDevAttrMaxTexture1DMipmappedWidth:
        case cudaDevAttrMaxTextureCubemapLayeredWidth:
        case cudaDevAttrMaxSurfaceCubemapWidth:
        case cudaDevAttrMaxSurfaceCubemapLayeredWidth:
        case cudaDevAttrMaxSurface1DLayeredWidth:
        case cudaDevAttrMaxSurface2DLayeredWidth:
        case cudaDevAttrMaxSurface2DLayeredHeight:
        case cudaDevAttrMaxSurface1DWidth: *value = 32768; break;
        case cudaDevAttrMaxTextureCubemapLayeredLayers:
        case cudaDevAttrMaxSurfaceCubemapLayeredLayers: *value = 2046; break;
        case cudaDevAttrMaxTexture1DLinearWidth: *value = 268435456; break;
        case cudaDevAttrMaxTexture2DLinearWidth: *value = 131072; break;
        case cudaDevAttrMaxTexture2DLinearHeight: *value = 65000; break;
        case cudaDevAttrMaxTexture2DLinearPitch: *value = 2097120; break;
        case cudaDevAttrMaxSurface1DLayeredLayers:
        case cudaDevAttrMaxSurface2DLayeredLayers:
        case cudaDevAttrMaxTexture2DLayeredLayers:
        case cudaDevAttrMaxTexture1DLayeredLayers: *value = 2048; break;
        case cudaDevAttrPciDomainId:
        case cudaDevAttrMultiGpuBoardGroupID:
        case cudaDevAttrHostNativeAtomicSupported:
        case cudaDevAttrCanFlushRemoteWrites:
        case cudaDevAttrHostRegisterReadOnlySupported:
        case cudaDevAttrTimelineSemaphoreInteropSupported:
        case cudaDevAttrGPUDirectRDMASupported:
        case cudaDevAttrMemoryPoolSupportedHandleTypes:
        case cudaDevAttrIpcEventSupport:
        case cudaDevAttrGPUDirectRDMAFlushWritesOptions:
        case cudaDevAttrGPUDirectRDMAWritesOrdering:
        case cudaDevAttrD3D12CigSupported:
        case cudaDevAttrVulkanCigSupported:
        case cudaDevAttrHostNumaMemoryPoolsSupported:
        case cudaDevAttrHostNumaMultinodeIpcSupported:
        case cudaDevAttrHostMemoryPoolsSupported:
        case cudaDevAttrOnlyPartialHostNativeAtomicSupported:
        case cudaDevAttrMpsEnabled: *value = 0; break;
        case cudaDevAttrMemSyncDomainCount: *value = 1; break;
        case cudaDevAttrKernelExecTimeout:
        case cudaDevAttrComputeMode:
        case cudaDevAttrEccEnabled:
        case cudaDevAttrPciBusId:
        case cudaDevAttrPciDeviceId:
        case cudaDevAttrTccDriver:
        case cudaDevAttrIsMultiGpuBoard:
        case cudaDevAttrCanUseHostPointerForRegisteredMem:
        case cudaDevAttrPageableMemoryAccess:  // kernels do not reach the host's
        case cudaDevAttrPageableMemoryAccessUsesHostPageTables:
        case cudaDevAttrDirectManagedMemAccessFromHost:
        case cudaDevAttrIntegrated: *value = 0; break;
        default:
            fail("unsupported", "cudaDeviceGetAttribute of attribute " +
                                    std::to_string(static_cast<int>(attribute)));
    }
    return cudaSuccess;
}

}  // extern "C"
