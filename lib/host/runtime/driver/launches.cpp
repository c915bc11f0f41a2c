// Kernels in the driver API: launches, attributes and occupancy, and values that a stream writes
// and waits for. There are no modules: a function is the address that cudaGetFuncBySymbol() was
// given.
#include <cstring>
#include <string>
#include <vector>

#include "calls.h"
#include "core/launch_log.h"
#include "cuset_host/faults.h"
#include "cuset_host/threads/named_kernels.h"
#include "streams/asynchronous_streams.h"
#include "streams/graphs.h"

using namespace cuset_host;

namespace {

std::vector<parameter_place> parameters_of(const registration& kernel) {
    std::vector<parameter_place> places(kernel.parameters(nullptr));
    kernel.parameters(places.data());
    return places;
}

/// The addresses of a kernel's arguments in a buffer with all of them, which `extra` names; false
/// if it does not, or the buffer is too short.
bool unpack(const registration& kernel, void** extra, std::vector<void*>& arguments) {
    char* buffer = nullptr;
    std::size_t bytes = 0;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = static_cast<char*>(extra[1]);
        else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
            bytes = *static_cast<std::size_t*>(extra[1]);
        else
            return false;
    }
    for (const parameter_place& place : parameters_of(kernel)) {
        if (buffer == nullptr || place.offset + place.bytes > bytes) return false;
        arguments.push_back(buffer + place.offset);
    }
    return true;
}

/// Calls launch(kernel, arguments).
template <class Launch>
CUresult launched(CUfunction function, void** arguments, void** extra, const Launch& launch) {
    const registration* kernel = registration::find(function);
    if (driver_is_initialised && kernel == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    std::vector<void*> unpacked;
    if (extra != nullptr && driver_is_initialised) {
        if (arguments != nullptr || !unpack(*kernel, extra, unpacked))
            return CUDA_ERROR_INVALID_VALUE;
        arguments = unpacked.data();
    }
    const CUresult result = done([&] { return launch(*kernel, arguments); });
    log_asked();
    return result == driver_result(cudaErrorInvalidConfiguration) ? CUDA_ERROR_INVALID_VALUE
                                                                  : result;
}

/// Both APIs give attributes the same numbers and forms.
std::vector<cudaLaunchAttribute> attributes_of(const CUlaunchConfig& config) {
    static_assert(sizeof(cudaLaunchAttribute) == sizeof(CUlaunchAttribute));
    std::vector<cudaLaunchAttribute> to(config.numAttrs);
    if (!to.empty()) std::memcpy(to.data(), config.attrs, to.size() * sizeof to[0]);
    return to;
}
cudaLaunchConfig_t runtime_form(const CUlaunchConfig& config,
                                std::vector<cudaLaunchAttribute>& attributes) {
    cudaLaunchConfig_t to{};
    to.gridDim = dim3(config.gridDimX, config.gridDimY, config.gridDimZ);
    to.blockDim = dim3(config.blockDimX, config.blockDimY, config.blockDimZ);
    to.dynamicSmemBytes = config.sharedMemBytes;
    to.stream = config.hStream;
    to.attrs = attributes.data();
    to.numAttrs = config.numAttrs;
    return to;
}

template <class Call>
CUresult of_function(CUfunction function, const Call& call) {
    if (driver_is_initialised && registration::find(function) == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    return done(call);
}

constexpr auto batch_of_values = static_cast<cudaGraphNodeType>(CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);

/// The stream's work goes on where the value is there. Done in the call, nobody would write it.
template <class T, class Signed>
CUresult wait_for(CUstream stream, CUdeviceptr at, T value, unsigned flags) {
    if (at % sizeof value != 0) return CUDA_ERROR_INVALID_VALUE;
    const auto work = [=]() -> cudaError_t {
        for (;;) {
            T now = 0;
            if (const cudaError_t error =
                    cudaMemcpy(&now, pointer(at), sizeof now, cudaMemcpyDefault);
                error != cudaSuccess)
                return error;
            bool is_there = false;
            switch (flags & 3) {
                case CU_STREAM_WAIT_VALUE_GEQ:
                    is_there = static_cast<Signed>(now - value) >= 0;
                    break;
                case CU_STREAM_WAIT_VALUE_EQ: is_there = now == value; break;
                case CU_STREAM_WAIT_VALUE_AND: is_there = (now & value) != 0; break;
                default: is_there = ~(now | value) != 0;
            }
            if (is_there) return cudaSuccess;
            let_others_go_on();
        }
    };
    return done([&] { return captured_or_done(stream, batch_of_values, work); });
}

}  // namespace

extern "C" {

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void** arguments, void** extra) {
    return launched(function, arguments, extra, [&](const registration& kernel, void** given) {
        return kernel.run(
            {"", 0},
            {dim3(grid_x, grid_y, grid_z), dim3(block_x, block_y, block_z), shared_bytes, stream},
            given, false);
    });
}
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                   unsigned grid_z, unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned shared_bytes, CUstream stream,
                                   void** arguments) {
    return launched(function, arguments, nullptr, [&](const registration& kernel, void** given) {
        return kernel.run(
            {"", 0},
            {dim3(grid_x, grid_y, grid_z), dim3(block_x, block_y, block_z), shared_bytes, stream},
            given, true);
    });
}
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** arguments,
                          void** extra) {
    if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
    auto attributes = attributes_of(*config);
    const cudaLaunchConfig_t shape = runtime_form(*config, attributes);
    return launched(function, arguments, extra, [&](const registration&, void** given) {
        return named_launch("", 0).cudaLaunchKernelExC(&shape, static_cast<const void*>(function),
                                                       given);
    });
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    cudaFuncAttributes all{};
    const CUresult result =
        of_function(function, [&] { return cudaFuncGetAttributes(&all, function); });
    if (result != CUDA_SUCCESS) return result;
    switch (attribute) {
        case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = all.maxThreadsPerBlock; break;
        case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
            *value = static_cast<int>(all.sharedSizeBytes);
            break;
        case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
            *value = static_cast<int>(all.constSizeBytes);
            break;
        case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
            *value = static_cast<int>(all.localSizeBytes);
            break;
        case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = all.numRegs; break;
        case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = all.ptxVersion; break;
        case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = all.binaryVersion; break;
        case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: *value = all.cacheModeCA; break;
        case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
            *value = all.maxDynamicSharedSizeBytes;
            break;
        case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
            *value = all.preferredShmemCarveout;
            break;
        case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH: *value = all.requiredClusterWidth; break;
        case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT: *value = all.requiredClusterHeight; break;
        case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH: *value = all.requiredClusterDepth; break;
        default:
            fail("unsupported",
                 "cuFuncGetAttribute of attribute " + std::to_string(int{attribute}));
    }
    return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
    return of_function(function, [&] {
        return cudaFuncSetAttribute(function, static_cast<cudaFuncAttribute>(attribute), value);
    });
}
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache) {
    return of_function(function, [] { return cudaSuccess; });
}
CUresult cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t* offset,
                            std::size_t* bytes) {
    if (!driver_is_initialised) return CUDA_ERROR_NOT_INITIALIZED;
    if (registration::find(function) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    return done([&] { return cudaFuncGetParamInfo(function, index, offset, bytes); });
}
cudaError_t cudaFuncGetParamInfo(const void* function, std::size_t index, std::size_t* offset,
                                 std::size_t* bytes) {
    const registration* kernel = registration::find(function);
    if (kernel == nullptr) return set_error(cudaErrorInvalidDeviceFunction);
    const auto places = parameters_of(*kernel);
    if (index >= places.size() || offset == nullptr) return set_error(cudaErrorInvalidValue);
    *offset = places[index].offset;
    if (bytes != nullptr) *bytes = places[index].bytes;
    return cudaSuccess;
}
#if CUDA_VERSION >= 12040
CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction function) {
    return of_function(function, [&] {
        *state = CU_FUNCTION_LOADING_STATE_LOADED;
        return cudaSuccess;
    });
}
CUresult cuFuncLoad(CUfunction function) {
    return of_function(function, [] { return cudaSuccess; });
}
#endif
CUresult cuOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, CUfunction function,
                                                 int blocks, int threads) {
    return of_function(function, [&] {
        return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks, threads);
    });
}
CUresult cuFuncGetName(const char** name, CUfunction function) {
    return of_function(function, [&] { return cudaFuncGetName(name, function); });
}
CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
    *function = reinterpret_cast<CUfunction>(kernel);
    return of_function(*function, [] { return cudaSuccess; });
}
cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* symbol) {
    if (kernel == nullptr) return set_error(cudaErrorInvalidValue);
    if (registration::find(symbol) == nullptr) return set_error(cudaErrorInvalidDeviceFunction);
    *kernel = static_cast<cudaKernel_t>(const_cast<void*>(symbol));
    return cudaSuccess;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function,
                                                              int threads, std::size_t shared_bytes,
                                                              unsigned flags) {
    return of_function(function, [&] {
        return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads,
                                                                      shared_bytes, flags);
    });
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads,
                                                     std::size_t shared_bytes) {
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads,
                                                                shared_bytes, 0);
}
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, CUfunction function,
                                                   CUoccupancyB2DSize shared_of,
                                                   std::size_t shared_bytes, int limit, unsigned) {
    if (grid == nullptr || block == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return of_function(function, [&] {
        return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
            grid, block, static_cast<const void*>(function),
            [&](int threads) { return shared_of == nullptr ? shared_bytes : shared_of(threads); },
            limit);
    });
}
CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction function,
                                          CUoccupancyB2DSize shared_of, std::size_t shared_bytes,
                                          int limit) {
    return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, shared_of, shared_bytes,
                                                     limit, 0);
}

CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr to, cuuint32_t value, unsigned) {
    return cuMemsetD32Async(to, value, 1, stream);
}
CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr to, cuuint64_t value, unsigned) {
    const CUresult low = cuMemsetD32Async(to, static_cast<unsigned>(value), 1, stream);
    return low != CUDA_SUCCESS
               ? low
               : cuMemsetD32Async(to + 4, static_cast<unsigned>(value >> 32), 1, stream);
}
CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr at, cuuint32_t value, unsigned flags) {
    return wait_for<cuuint32_t, int>(stream, at, value, flags);
}
CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr at, cuuint64_t value, unsigned flags) {
    return wait_for<cuuint64_t, long long>(stream, at, value, flags);
}

CUresult cuStreamBatchMemOp(CUstream stream, unsigned count, CUstreamBatchMemOpParams* operations,
                            unsigned flags) {
    if (flags != 0 || (count > 0 && operations == nullptr)) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = CUDA_SUCCESS;
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; ++i) {
        const auto& write = operations[i].writeValue;
        const auto& wait = operations[i].waitValue;
        switch (operations[i].operation) {
            case CU_STREAM_MEM_OP_WRITE_VALUE_32:
                result = cuStreamWriteValue32(stream, write.address, write.value, write.flags);
                break;
            case CU_STREAM_MEM_OP_WRITE_VALUE_64:
                result = cuStreamWriteValue64(stream, write.address, write.value64, write.flags);
                break;
            case CU_STREAM_MEM_OP_WAIT_VALUE_32:
                result = cuStreamWaitValue32(stream, wait.address, wait.value, wait.flags);
                break;
            case CU_STREAM_MEM_OP_WAIT_VALUE_64:
                result = cuStreamWaitValue64(stream, wait.address, wait.value64, wait.flags);
                break;
            case CU_STREAM_MEM_OP_BARRIER:
            case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES: break;  // all is in order here
            default: return CUDA_ERROR_INVALID_VALUE;
        }
    }
    return result;
}

}  // extern "C"
