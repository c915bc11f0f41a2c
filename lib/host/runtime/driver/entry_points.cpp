// The pointers to the driver API's calls that both APIs give by name.
#include <cstring>
#include <string>

#include "calls.h"
#include "cuset_host/faults.h"
#include "names.h"

using namespace cuset_host;

namespace {

#define CUSET_HOST_ENTRY(name) \
    { #name, reinterpret_cast < void*>(&name) }
const struct {
    const char* name;
    void* call;
} entries[] = {
    CUSET_HOST_ENTRY(cuCtxCreate),
    CUSET_HOST_ENTRY(cuCtxDestroy),
    CUSET_HOST_ENTRY(cuCtxGetCurrent),
    CUSET_HOST_ENTRY(cuCtxGetDevice),
    CUSET_HOST_ENTRY(cuCtxGetLimit),
    CUSET_HOST_ENTRY(cuCtxGetStreamPriorityRange),
    CUSET_HOST_ENTRY(cuCtxPopCurrent),
    CUSET_HOST_ENTRY(cuCtxPushCurrent),
    CUSET_HOST_ENTRY(cuCtxSetCurrent),
    CUSET_HOST_ENTRY(cuCtxSetLimit),
    CUSET_HOST_ENTRY(cuCtxSynchronize),
    CUSET_HOST_ENTRY(cuDeviceCanAccessPeer),
    CUSET_HOST_ENTRY(cuDeviceComputeCapability),
    CUSET_HOST_ENTRY(cuDeviceGet),
    CUSET_HOST_ENTRY(cuDeviceGetAttribute),
    CUSET_HOST_ENTRY(cuDeviceGetCount),
    CUSET_HOST_ENTRY(cuDeviceGetDefaultMemPool),
    CUSET_HOST_ENTRY(cuDeviceGetMemPool),
    CUSET_HOST_ENTRY(cuDeviceGetName),
    CUSET_HOST_ENTRY(cuDeviceGetPCIBusId),
    CUSET_HOST_ENTRY(cuDeviceGetUuid),
    CUSET_HOST_ENTRY(cuDevicePrimaryCtxGetState),
    CUSET_HOST_ENTRY(cuDevicePrimaryCtxRelease),
    CUSET_HOST_ENTRY(cuDevicePrimaryCtxReset),
    CUSET_HOST_ENTRY(cuDevicePrimaryCtxRetain),
    CUSET_HOST_ENTRY(cuDeviceSetMemPool),
    CUSET_HOST_ENTRY(cuDeviceTotalMem),
    CUSET_HOST_ENTRY(cuDriverGetVersion),
    CUSET_HOST_ENTRY(cuEventCreate),
    CUSET_HOST_ENTRY(cuEventDestroy),
    CUSET_HOST_ENTRY(cuEventElapsedTime),
    CUSET_HOST_ENTRY(cuEventQuery),
    CUSET_HOST_ENTRY(cuEventRecord),
    CUSET_HOST_ENTRY(cuEventSynchronize),
    CUSET_HOST_ENTRY(cuFuncGetAttribute),
    CUSET_HOST_ENTRY(cuFuncGetName),
    CUSET_HOST_ENTRY(cuFuncGetParamInfo),
    CUSET_HOST_ENTRY(cuFuncIsLoaded),
    CUSET_HOST_ENTRY(cuFuncLoad),
    CUSET_HOST_ENTRY(cuFuncSetAttribute),
    CUSET_HOST_ENTRY(cuFuncSetCacheConfig),
    CUSET_HOST_ENTRY(cuGetErrorName),
    CUSET_HOST_ENTRY(cuGetErrorString),
    CUSET_HOST_ENTRY(cuGraphAddEmptyNode),
    CUSET_HOST_ENTRY(cuGraphCreate),
    CUSET_HOST_ENTRY(cuGraphDestroy),
    CUSET_HOST_ENTRY(cuGraphExecDestroy),
    CUSET_HOST_ENTRY(cuGraphGetNodes),
    CUSET_HOST_ENTRY(cuGraphInstantiate),
    CUSET_HOST_ENTRY(cuGraphLaunch),
    CUSET_HOST_ENTRY(cuGraphUpload),
    CUSET_HOST_ENTRY(cuInit),
    CUSET_HOST_ENTRY(cuKernelGetFunction),
    CUSET_HOST_ENTRY(cuLaunchCooperativeKernel),
    CUSET_HOST_ENTRY(cuLaunchHostFunc),
    CUSET_HOST_ENTRY(cuLaunchKernel),
    CUSET_HOST_ENTRY(cuLaunchKernelEx),
    CUSET_HOST_ENTRY(cuMemAddressFree),
    CUSET_HOST_ENTRY(cuMemAddressReserve),
    CUSET_HOST_ENTRY(cuMemAdvise),
    CUSET_HOST_ENTRY(cuMemAlloc),
    CUSET_HOST_ENTRY(cuMemAllocAsync),
    CUSET_HOST_ENTRY(cuMemAllocFromPoolAsync),
    CUSET_HOST_ENTRY(cuMemAllocHost),
    CUSET_HOST_ENTRY(cuMemAllocManaged),
    CUSET_HOST_ENTRY(cuMemAllocPitch),
    CUSET_HOST_ENTRY(cuMemCreate),
    CUSET_HOST_ENTRY(cuMemFree),
    CUSET_HOST_ENTRY(cuMemFreeAsync),
    CUSET_HOST_ENTRY(cuMemFreeHost),
    CUSET_HOST_ENTRY(cuMemGetAccess),
    CUSET_HOST_ENTRY(cuMemGetAddressRange),
    CUSET_HOST_ENTRY(cuMemGetAllocationGranularity),
    CUSET_HOST_ENTRY(cuMemGetAllocationPropertiesFromHandle),
    CUSET_HOST_ENTRY(cuMemGetInfo),
    CUSET_HOST_ENTRY(cuMemHostAlloc),
    CUSET_HOST_ENTRY(cuMemHostGetDevicePointer),
    CUSET_HOST_ENTRY(cuMemHostRegister),
    CUSET_HOST_ENTRY(cuMemHostUnregister),
    CUSET_HOST_ENTRY(cuMemMap),
    CUSET_HOST_ENTRY(cuMemPoolCreate),
    CUSET_HOST_ENTRY(cuMemPoolDestroy),
    CUSET_HOST_ENTRY(cuMemPoolGetAttribute),
    CUSET_HOST_ENTRY(cuMemPoolSetAttribute),
    CUSET_HOST_ENTRY(cuMemPoolTrimTo),
    CUSET_HOST_ENTRY(cuMemPrefetchAsync),
    CUSET_HOST_ENTRY(cuMemRelease),
    CUSET_HOST_ENTRY(cuMemRetainAllocationHandle),
    CUSET_HOST_ENTRY(cuMemSetAccess),
    CUSET_HOST_ENTRY(cuMemUnmap),
    CUSET_HOST_ENTRY(cuMemcpy),
    CUSET_HOST_ENTRY(cuMemcpy2D),
    CUSET_HOST_ENTRY(cuMemcpy2DAsync),
    CUSET_HOST_ENTRY(cuMemcpy2DUnaligned),
    CUSET_HOST_ENTRY(cuMemcpyAsync),
    CUSET_HOST_ENTRY(cuMemcpyDtoD),
    CUSET_HOST_ENTRY(cuMemcpyDtoDAsync),
    CUSET_HOST_ENTRY(cuMemcpyDtoH),
    CUSET_HOST_ENTRY(cuMemcpyDtoHAsync),
    CUSET_HOST_ENTRY(cuMemcpyHtoD),
    CUSET_HOST_ENTRY(cuMemcpyHtoDAsync),
    CUSET_HOST_ENTRY(cuMemsetD16),
    CUSET_HOST_ENTRY(cuMemsetD2D16),
    CUSET_HOST_ENTRY(cuMemsetD2D32),
    CUSET_HOST_ENTRY(cuMemsetD2D8),
    CUSET_HOST_ENTRY(cuMemsetD32),
    CUSET_HOST_ENTRY(cuMemsetD32Async),
    CUSET_HOST_ENTRY(cuMemsetD8),
    CUSET_HOST_ENTRY(cuMemsetD8Async),
    CUSET_HOST_ENTRY(cuOccupancyAvailableDynamicSMemPerBlock),
    CUSET_HOST_ENTRY(cuOccupancyMaxActiveBlocksPerMultiprocessor),
    CUSET_HOST_ENTRY(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags),
    CUSET_HOST_ENTRY(cuOccupancyMaxPotentialBlockSize),
    CUSET_HOST_ENTRY(cuOccupancyMaxPotentialBlockSizeWithFlags),
    CUSET_HOST_ENTRY(cuPointerGetAttribute),
    CUSET_HOST_ENTRY(cuStreamAddCallback),
    CUSET_HOST_ENTRY(cuStreamBeginCapture),
    CUSET_HOST_ENTRY(cuStreamCreate),
    CUSET_HOST_ENTRY(cuStreamCreateWithPriority),
    CUSET_HOST_ENTRY(cuStreamDestroy),
    CUSET_HOST_ENTRY(cuStreamEndCapture),
    CUSET_HOST_ENTRY(cuStreamGetFlags),
    CUSET_HOST_ENTRY(cuStreamGetPriority),
    CUSET_HOST_ENTRY(cuStreamIsCapturing),
    CUSET_HOST_ENTRY(cuStreamQuery),
    CUSET_HOST_ENTRY(cuStreamSynchronize),
    CUSET_HOST_ENTRY(cuStreamWaitEvent),
    CUSET_HOST_ENTRY(cuStreamBatchMemOp),
    CUSET_HOST_ENTRY(cuStreamWaitValue32),
    CUSET_HOST_ENTRY(cuStreamWaitValue64),
    CUSET_HOST_ENTRY(cuStreamWriteValue32),
    CUSET_HOST_ENTRY(cuStreamWriteValue64),
#if CUDA_VERSION >= 12000
    CUSET_HOST_ENTRY(cuTensorMapEncodeTiled),
    CUSET_HOST_ENTRY(cuTensorMapReplaceAddress),
#endif
};
#undef CUSET_HOST_ENTRY

/// The call of a name, or null if no driver has it; the program ends where it is not modelled.
void* call_named(const char* name) {
    for (const auto& each : entries)
        if (std::strcmp(each.name, name) == 0) return each.call;
    const std::string word = ' ' + std::string(name) + ' ';
    if (std::strstr(other_driver_calls, word.c_str()) != nullptr)
        fail("unsupported", "a driver entry point of the name " + std::string(name));
    return nullptr;
}

cudaError_t entry(const char* name, void** call, cudaDriverEntryPointQueryResult* found) {
    if (name == nullptr || call == nullptr) return set_error(cudaErrorInvalidValue);
    *call = call_named(name);
    reach_device();
    if (found != nullptr)
        *found =
            *call != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** call, unsigned,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult* found) {
    return entry(name, call, found);
}
cudaError_t cudaGetDriverEntryPoint(const char* name, void** call, unsigned long long,
                                    cudaDriverEntryPointQueryResult* found) {
    return entry(name, call, found);
}
#if CUDA_VERSION >= 12000
CUresult cuGetProcAddress(const char* name, void** call, int, cuuint64_t,
                          CUdriverProcAddressQueryResult* found) {
    if (name == nullptr || call == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *call = call_named(name);
    if (found != nullptr)
        *found =
            *call != nullptr ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return CUDA_SUCCESS;
}
#endif

}  // extern "C"
