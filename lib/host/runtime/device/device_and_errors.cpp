// The runtime API: the device, its kernels and its errors.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "core/launch_log.h"
#include "cuset_host/cuda_types.h"
#include "cuset_host/device_heap.h"
#include "cuset_host/faults.h"
#include "cuset_host/threads/launch_bounds.h"
#include "cuset_host/threads/named_kernels.h"
#include "device_model.h"
#include "streams/asynchronous_streams.h"
#include "streams/graphs.h"

using namespace cuset_host;

namespace {

thread_local cudaError_t last_error = cudaSuccess;

struct error_words {
    cudaError_t error;
    const char *name, *text;
};

#define CUSET_HOST_ERROR(error, text) \
    { error, #error, text }
constexpr error_words words[] = {
    CUSET_HOST_ERROR(cudaSuccess, "no error"),
    CUSET_HOST_ERROR(cudaErrorInvalidValue, "invalid argument"),
    CUSET_HOST_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    CUSET_HOST_ERROR(cudaErrorInitializationError, "initialization error"),
    CUSET_HOST_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    CUSET_HOST_ERROR(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    CUSET_HOST_ERROR(cudaErrorInvalidSymbol, "invalid device symbol"),
    CUSET_HOST_ERROR(cudaErrorInvalidTexture, "invalid texture reference"),
    CUSET_HOST_ERROR(cudaErrorInvalidChannelDescriptor, "invalid channel descriptor"),
    CUSET_HOST_ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    CUSET_HOST_ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    CUSET_HOST_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    CUSET_HOST_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    CUSET_HOST_ERROR(cudaErrorNotReady, "device not ready"),
    CUSET_HOST_ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    CUSET_HOST_ERROR(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    CUSET_HOST_ERROR(cudaErrorHostMemoryAlreadyRegistered,
                     "part or all of the requested memory range is already mapped"),
    CUSET_HOST_ERROR(cudaErrorHostMemoryNotRegistered,
                     "pointer does not correspond to a registered memory region"),
    CUSET_HOST_ERROR(cudaErrorUnsupportedLimit, "limit is not supported on this architecture"),
    CUSET_HOST_ERROR(cudaErrorInvalidFilterSetting, "invalid filter mode setting"),
    CUSET_HOST_ERROR(cudaErrorPeerAccessUnsupported,
                     "peer access is not supported between these two devices"),
    CUSET_HOST_ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
    CUSET_HOST_ERROR(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    CUSET_HOST_ERROR(cudaErrorNotSupported, "operation not supported"),
    CUSET_HOST_ERROR(cudaErrorUnknown, "unknown error"),
    CUSET_HOST_ERROR(cudaErrorInvalidClusterSize, "cluster misconfiguration"),
    CUSET_HOST_ERROR(cudaErrorAssert, "device-side assert triggered"),
    CUSET_HOST_ERROR(cudaErrorMisalignedAddress, "misaligned address"),
    CUSET_HOST_ERROR(cudaErrorIllegalInstruction, "an illegal instruction was encountered"),
    CUSET_HOST_ERROR(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
    CUSET_HOST_ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    CUSET_HOST_ERROR(cudaErrorInsufficientDriver,
                     "CUDA driver version is insufficient for CUDA runtime version"),
    CUSET_HOST_ERROR(cudaErrorInvalidHostPointer, "invalid host pointer"),
    CUSET_HOST_ERROR(cudaErrorInvalidDevicePointer, "invalid device pointer"),
    CUSET_HOST_ERROR(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    CUSET_HOST_ERROR(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    CUSET_HOST_ERROR(cudaErrorNoKernelImageForDevice,
                     "no kernel image is available for execution on the device"),
    CUSET_HOST_ERROR(cudaErrorInvalidKernelImage, "device kernel image is invalid"),
    CUSET_HOST_ERROR(cudaErrorIllegalState,
                     "the operation cannot be performed in the present state"),
    CUSET_HOST_ERROR(cudaErrorSymbolNotFound, "named symbol not found"),
    CUSET_HOST_ERROR(cudaErrorMissingConfiguration, "__global__ function call is not configured"),
    CUSET_HOST_ERROR(cudaErrorStreamCaptureUnsupported,
                     "operation not permitted when stream is capturing"),
    CUSET_HOST_ERROR(cudaErrorStreamCaptureInvalidated,
                     "operation failed due to a previous error during capture"),
    CUSET_HOST_ERROR(cudaErrorStreamCaptureMerge,
                     "operation would result in a merge of separate capture sequences"),
    CUSET_HOST_ERROR(cudaErrorStreamCaptureUnmatched, "capture was not initiated in this stream"),
    CUSET_HOST_ERROR(cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    CUSET_HOST_ERROR(
        cudaErrorStreamCaptureImplicit,
        "operation would make the legacy stream depend on a capturing blocking stream"),
    CUSET_HOST_ERROR(cudaErrorStreamCaptureIsolation,
                     "dependency created on uncaptured work in another stream"),
    CUSET_HOST_ERROR(cudaErrorCapturedEvent,
                     "operation not permitted on an event last recorded in a capturing stream"),
    CUSET_HOST_ERROR(cudaErrorStreamCaptureWrongThread,
                     "attempt to terminate a thread-local capture sequence from another thread"),
    CUSET_HOST_ERROR(
        cudaErrorGraphExecUpdateFailure,
        "the graph update was not performed because it included changes which violated "
        "constraints specific to instantiated graph update"),
};
#undef CUSET_HOST_ERROR

struct device_limits {
    std::size_t stack = 1024, printing = 7 << 20, heap = 8 << 20;
    std::size_t launches = 2048, granularity = 64, persisting = 0;
} limits;

/// What the program would like to have; nothing here depends on it.
struct device_preferences {
    unsigned flags = cudaDeviceScheduleAuto;
    cudaFuncCache cache = cudaFuncCachePreferNone;
} preferences;

/// Null if there is no such limit.
std::size_t* limit_of(cudaLimit limit) {
    switch (limit) {
        case cudaLimitStackSize: return &limits.stack;
        case cudaLimitPrintfFifoSize: return &limits.printing;
        case cudaLimitMallocHeapSize: return &limits.heap;
        case cudaLimitDevRuntimePendingLaunchCount: return &limits.launches;
        case cudaLimitMaxL2FetchGranularity: return &limits.granularity;
        case cudaLimitPersistingL2CacheSize: return &limits.persisting;
        default: return nullptr;
    }
}

const error_words* words_of(cudaError_t error) {
    for (const auto& w : words)
        if (w.error == error) return &w;
    return nullptr;
}

std::size_t own_shared_bytes(const void* function) {
    const kernel_needs* needs = kernel_needs::find(function, "");
    return needs == nullptr ? 0 : needs->shared_bytes();
}

}  // namespace

namespace cuset_host {

std::size_t limit_of_device_heap() { return limits.heap; }

cudaError_t set_error(cudaError_t error) {
    if (error != cudaSuccess) last_error = error;
    return error;
}

cudaError_t exchange_error(cudaError_t error) { return std::exchange(last_error, error); }

}  // namespace cuset_host

extern "C" {

cudaError_t cudaGetLastError() {
    log_asked();
    const cudaError_t error = last_error;
    last_error = error_that_was_met();
    return error;
}

cudaError_t cudaPeekAtLastError() {
    log_asked();
    return last_error;
}

const char* cudaGetErrorName(cudaError_t error) {
    const error_words* w = words_of(error);
    return w == nullptr ? "unrecognized error code" : w->name;
}

const char* cudaGetErrorString(cudaError_t error) {
    const error_words* w = words_of(error);
    return w == nullptr ? "unrecognized error code" : w->text;
}

cudaError_t cudaGetDeviceCount(int* count) {
    driver_is_initialised = true;
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int* number) {
    driver_is_initialised = true;
    *number = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int number) {
    reach_device();
    return set_error(number == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceSynchronize() {
    reach_device();
    if (const cudaError_t error = refused_by_capture(); error != cudaSuccess)
        return set_error(error);
    return set_error(wait_for_all_streams());
}
cudaError_t cudaDeviceReset() {
    wait_for_all_streams();
    limits = {};
    cuset_host::reset_device_heap();
    preferences = {};
    runtime_has_begun = has_primary_context = false;
    if (!device_is_lost()) return cudaSuccess;
    drop_stream_work();
    reset_device();
    last_error = cudaSuccess;
    return cudaSuccess;
}
cudaError_t cudaSetDeviceFlags(unsigned flags) {
    constexpr unsigned ways_to_wait = 7, all = 255;
    const unsigned way = flags & ways_to_wait;
    if ((flags & ~all) != 0 || (way & (way - 1)) != 0) return set_error(cudaErrorInvalidValue);
    preferences.flags = flags;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
    *config = preferences.cache;
    return cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
    preferences.cache = config;
    return cudaSuccess;
}
cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }

cudaError_t cudaDriverGetVersion(int* version) {
    *version = CUDART_VERSION;
    return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
    *version = CUDART_VERSION;
    return cudaSuccess;
}

// There is one device, and none is its own peer.
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    if (can == nullptr) return set_error(cudaErrorInvalidValue);
    *can = 0;
    return set_error(device == 0 && peer == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return set_error(cudaErrorInvalidDevice); }
cudaError_t cudaDeviceDisablePeerAccess(int) { return set_error(cudaErrorInvalidDevice); }

cudaError_t cudaChooseDevice(int* number, const cudaDeviceProp*) {
    if (number == nullptr) return set_error(cudaErrorInvalidValue);
    *number = 0;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceFlags(unsigned* flags) {
    if (flags == nullptr) return set_error(cudaErrorInvalidValue);
    *flags = preferences.flags;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int number) {
    if (number != 0) return set_error(cudaErrorInvalidDevice);
    if (text == nullptr || length < 13) return set_error(cudaErrorInvalidValue);
    std::snprintf(text, static_cast<std::size_t>(length), "0000:00:00.0");
    return cudaSuccess;
}
cudaError_t cudaDeviceGetByPCIBusId(int* number, const char* text) {
    if (number == nullptr || text == nullptr) return set_error(cudaErrorInvalidValue);
    *number = 0;
    return set_error(std::strcmp(text, "0000:00:00.0") == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
// There is one device, and none is its own peer.
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int, int) {
    return set_error(value == nullptr ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
}
cudaError_t cudaInitDevice(int number, unsigned device_flags, unsigned flags) {
    constexpr unsigned device_flags_are_valid = 1;
    if (number != 0) return set_error(cudaErrorInvalidDevice);
    reach_device();
    return (flags & device_flags_are_valid) != 0 ? cudaSetDeviceFlags(device_flags) : cudaSuccess;
}
cudaError_t cudaSetValidDevices(int* numbers, int count) {
    if (count < 0 || count > 1 || (count > 0 && numbers == nullptr))
        return set_error(cudaErrorInvalidValue);
    for (int i = 0; i < count; ++i)
        if (numbers[i] != 0) return set_error(cudaErrorInvalidDevice);
    return cudaSuccess;
}
cudaError_t cudaFuncSetSharedMemConfig(const void*, cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
    if (config == nullptr) return set_error(cudaErrorInvalidValue);
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}
cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* symbol) {
    if (function == nullptr) return set_error(cudaErrorInvalidValue);
    reach_device();
    if (registration::find(symbol) == nullptr) return set_error(cudaErrorInvalidDeviceFunction);
    *function = static_cast<cudaFunction_t>(const_cast<void*>(symbol));
    return cudaSuccess;
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
    const registration* known = registration::find(function);
    if (known == nullptr) return set_error(cudaErrorInvalidDeviceFunction);
    *name = known->name();
    return cudaSuccess;
}

// Stacks and heaps are as large as needed: limits are only stored and returned.
cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
    std::size_t* kept = limit_of(limit);
    if (kept != nullptr && limit == cudaLimitPersistingL2CacheSize)
        value = std::min(value, device().l2_cache / 8 * 5);
    if (kept != nullptr) *kept = value;
    return set_error(kept == nullptr ? cudaErrorUnsupportedLimit : cudaSuccess);
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
    if (value == nullptr) return set_error(cudaErrorInvalidValue);
    const std::size_t* kept = limit_of(limit);
    if (kept != nullptr) *value = *kept;
    return set_error(kept == nullptr ? cudaErrorUnsupportedLimit : cudaSuccess);
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
    if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed)
        allow_large_clusters(function, value != 0);
    if (attribute == cudaFuncAttributeRequiredClusterWidth ||
        attribute == cudaFuncAttributeRequiredClusterHeight ||
        attribute == cudaFuncAttributeRequiredClusterDepth)
        fail("unsupported", "a required cluster size set by cudaFuncSetAttribute");
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
        if (value < -1 || value > 100) return set_error(cudaErrorInvalidValue);
        prefer_carveout(function, value);
    }
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
    if (value < 0 ||
        static_cast<std::size_t>(value) + own_shared_bytes(function) > device().shared_per_block)
        return set_error(cudaErrorInvalidValue);
    allow_shared(function, static_cast<std::size_t>(value));
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* a, const void* function) {
    *a = {};
    const kernel_needs* needs = kernel_needs::find(function, "");
    const unsigned bounds = bounds_of(function, "");
    a->maxThreadsPerBlock = bounds == 0 ? 1024 : static_cast<int>(std::min(bounds, 1024U));
    a->numRegs = 32;
    a->sharedSizeBytes = own_shared_bytes(function);
    a->maxDynamicSharedSizeBytes =
        static_cast<int>(dynamic_shared_limit(function, a->sharedSizeBytes));
    a->preferredShmemCarveout = preferred_carveout(function);
    if (needs != nullptr) {  // zeros where the kernel has no __cluster_dims__
        a->requiredClusterWidth = static_cast<int>(needs->cluster().x);
        a->requiredClusterHeight = static_cast<int>(needs->cluster().y);
        a->requiredClusterDepth = static_cast<int>(needs->cluster().z);
    }
    a->ptxVersion = a->binaryVersion = device().major * 10 + device().minor;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* function, int threads, std::size_t shared_bytes, unsigned) {
    if (blocks == nullptr || threads <= 0) return set_error(cudaErrorInvalidValue);
    const unsigned bounds = bounds_of(function, "");
    const auto count = static_cast<unsigned>(threads);
    const bool fits = bounds == 0 || count <= bounds;
    *blocks = fits ? resident_blocks(count, shared_bytes + own_shared_bytes(function)) : 0;
    return cudaSuccess;
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* function,
                                                      int blocks, int threads) {
    if (bytes == nullptr || blocks <= 0 || threads <= 0) return set_error(cudaErrorInvalidValue);
    const device_model& d = device();
    constexpr std::size_t reserved = 1 * kib;  // of each block, for the system
    const std::size_t own = own_shared_bytes(function);
    if (resident_blocks(static_cast<unsigned>(threads), own) < blocks)
        return set_error(cudaErrorInvalidValue);
    const std::size_t each = d.shared_per_processor / static_cast<std::size_t>(blocks) - reserved;
    *bytes = std::min(each, d.shared_per_block) - own;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* blocks, const void* function,
                                                 const cudaLaunchConfig_t* config) {
    if (blocks == nullptr || config == nullptr) return set_error(cudaErrorInvalidValue);
    *blocks = device().major < 9 ? 1 : static_cast<int>(largest_cluster(function));
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                           const cudaLaunchConfig_t* config) {
    if (clusters == nullptr || config == nullptr) return set_error(cudaErrorInvalidValue);
    unsigned blocks = 1;
    for (unsigned i = 0; i < config->numAttrs; ++i) {
        const auto& size = config->attrs[i].val.clusterDim;
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension)
            blocks = size.x * size.y * size.z;
    }
    if (blocks == 0 || blocks > largest_cluster(function))
        return set_error(cudaErrorInvalidClusterSize);
    const dim3& b = config->blockDim;
    const int resident =
        resident_blocks(b.x * b.y * b.z, config->dynamicSmemBytes + own_shared_bytes(function));
    *clusters = device().processors * resident / static_cast<int>(blocks);
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                          int threads, std::size_t shared_bytes) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads,
                                                                  shared_bytes, 0);
}

}  // extern "C"
