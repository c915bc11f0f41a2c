// What a device says of itself: properties and attributes agree.
#include <cstdio>

#include "check.h"

static void must_be(const char* what, long long value, cudaDeviceAttr attribute) {
    int other = -1;
    if (fails(cudaDeviceGetAttribute(&other, attribute, 0) == cudaSuccess && other == value))
        std::printf("%s: %lld and %d\n", what, value, other);
}
#define SAME(member, attribute) must_be(#member, static_cast<long long>(p.member), attribute)
#define SOME(member, attribute)  \
    do {                         \
        SAME(member, attribute); \
        MUST(p.member > 0);      \
    } while (0)

int main() {
    cudaDeviceProp p;
    if (cudaGetDeviceProperties(&p, 0) != cudaSuccess) return 1;
    SOME(maxThreadsPerBlock, cudaDevAttrMaxThreadsPerBlock);
    SOME(maxThreadsDim[0], cudaDevAttrMaxBlockDimX);
    SOME(maxThreadsDim[2], cudaDevAttrMaxBlockDimZ);
    SOME(maxGridSize[0], cudaDevAttrMaxGridDimX);
    SOME(maxGridSize[2], cudaDevAttrMaxGridDimZ);
    SOME(sharedMemPerBlock, cudaDevAttrMaxSharedMemoryPerBlock);
    SOME(sharedMemPerBlockOptin, cudaDevAttrMaxSharedMemoryPerBlockOptin);
    SOME(sharedMemPerMultiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    SOME(reservedSharedMemPerBlock, cudaDevAttrReservedSharedMemoryPerBlock);
    SOME(totalConstMem, cudaDevAttrTotalConstantMemory);
    SOME(warpSize, cudaDevAttrWarpSize);
    SOME(memPitch, cudaDevAttrMaxPitch);
    SOME(regsPerBlock, cudaDevAttrMaxRegistersPerBlock);
    SOME(regsPerMultiprocessor, cudaDevAttrMaxRegistersPerMultiprocessor);
    SOME(multiProcessorCount, cudaDevAttrMultiProcessorCount);
    SOME(maxThreadsPerMultiProcessor, cudaDevAttrMaxThreadsPerMultiProcessor);
    SOME(maxBlocksPerMultiProcessor, cudaDevAttrMaxBlocksPerMultiprocessor);
    SOME(memoryBusWidth, cudaDevAttrGlobalMemoryBusWidth);
    SOME(l2CacheSize, cudaDevAttrL2CacheSize);
    SOME(persistingL2CacheMaxSize, cudaDevAttrMaxPersistingL2CacheSize);
    SOME(major, cudaDevAttrComputeCapabilityMajor);
    SAME(minor, cudaDevAttrComputeCapabilityMinor);
    SAME(integrated, cudaDevAttrIntegrated);
    SAME(ECCEnabled, cudaDevAttrEccEnabled);
    SAME(pciBusID, cudaDevAttrPciBusId);
    SAME(pageableMemoryAccess, cudaDevAttrPageableMemoryAccess);
    SOME(managedMemory, cudaDevAttrManagedMemory);
    SOME(unifiedAddressing, cudaDevAttrUnifiedAddressing);
    SOME(cooperativeLaunch, cudaDevAttrCooperativeLaunch);
    SOME(asyncEngineCount, cudaDevAttrAsyncEngineCount);
    SOME(textureAlignment, cudaDevAttrTextureAlignment);
    SOME(texturePitchAlignment, cudaDevAttrTexturePitchAlignment);
    SOME(maxTexture1D, cudaDevAttrMaxTexture1DWidth);
    SOME(maxTexture2D[1], cudaDevAttrMaxTexture2DHeight);
    SOME(maxTexture2DLinear[2], cudaDevAttrMaxTexture2DLinearPitch);
    SOME(maxTexture2DGather[0], cudaDevAttrMaxTexture2DGatherWidth);
    SOME(maxTexture2DMipmap[1], cudaDevAttrMaxTexture2DMipmappedHeight);
    SOME(maxTexture2DLayered[2], cudaDevAttrMaxTexture2DLayeredLayers);
    SOME(maxTextureCubemapLayered[1], cudaDevAttrMaxTextureCubemapLayeredLayers);
    SOME(maxSurface1DLayered[0], cudaDevAttrMaxSurface1DLayeredWidth);
    SOME(maxSurface2DLayered[1], cudaDevAttrMaxSurface2DLayeredHeight);
    SOME(maxSurfaceCubemap, cudaDevAttrMaxSurfaceCubemapWidth);
    // Both may be wrong alike: what all devices have.
    MUST(p.warpSize == 32 && p.maxThreadsPerBlock == 1024 && p.maxThreadsDim[2] == 64);
    MUST(p.maxGridSize[0] == 2147483647 && p.maxGridSize[1] == 65535);
    MUST(p.totalConstMem == 65536 && p.sharedMemPerBlock == 49152 && p.regsPerBlock == 65536);
    return verdict();
}
