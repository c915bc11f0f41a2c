// hipDeviceProp_t: cudaDeviceProp, with what HIP has beyond it or CUDA 13 has no longer.
#pragma once

#include <cstdio>

#include "cuset_host/cuda_types.h"

struct hipDeviceArch_t {
    unsigned hasGlobalInt32Atomics : 1, hasGlobalFloatAtomicExch : 1, hasSharedInt32Atomics : 1,
        hasSharedFloatAtomicExch : 1, hasFloatAtomicAdd : 1, hasGlobalInt64Atomics : 1,
        hasSharedInt64Atomics : 1, hasDoubles : 1, hasWarpVote : 1, hasWarpBallot : 1,
        hasWarpShuffle : 1, hasFunnelShift : 1, hasThreadFenceSystem : 1, hasSyncThreadsExt : 1,
        hasSurfaceFuncs : 1, has3dGrid : 1, hasDynamicParallelism : 1;
};

struct hipDeviceProp_t : cudaDeviceProp {
#if CUDART_VERSION >= 13000
    int clockRate, memoryClockRate, computeMode, kernelExecTimeoutEnabled;
    int cooperativeMultiDeviceLaunch;
#endif
    int clockInstructionRate, gcnArch, isLargeBar, asicRevision;
    size_t maxSharedMemoryPerMultiProcessor;
    hipDeviceArch_t arch;
    char gcnArchName[256];
};

inline cudaError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device) {
    hipDeviceProp_t all{};
    const cudaError_t error = cudaGetDeviceProperties(&all, device);
    if (error != cudaSuccess) return error;
    const auto of_device = [device](cudaDeviceAttr which) {
        int value = 0;
        (void)cudaDeviceGetAttribute(&value, which, device);
        return value;
    };
    all.clockRate = of_device(cudaDevAttrClockRate);
    all.memoryClockRate = of_device(cudaDevAttrMemoryClockRate);
    all.computeMode = of_device(cudaDevAttrComputeMode);
    all.kernelExecTimeoutEnabled = of_device(cudaDevAttrKernelExecTimeout);
    all.clockInstructionRate = all.clockRate;
    all.maxSharedMemoryPerMultiProcessor = all.sharedMemPerMultiprocessor;
    all.arch = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0};
    std::snprintf(all.gcnArchName, sizeof all.gcnArchName, "gfx1100");
    *properties = all;
    return cudaSuccess;
}
