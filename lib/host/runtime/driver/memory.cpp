// The driver API's memory: pools, pinned memory, copies and fills in two dimensions, and what it
// tells of addresses.
#include <string>

#include "calls.h"
#include "cuset_host/device_memory.h"
#include "cuset_host/faults.h"

using namespace cuset_host;

namespace {

/// One side of a copy, from its first byte.
struct side {
    char* begin;
    std::size_t pitch;
};

side side_of(CUmemorytype type, const void* host, CUdeviceptr device, std::size_t x, std::size_t y,
             std::size_t pitch) {
    if (type == CU_MEMORYTYPE_ARRAY) fail("unsupported", "cuMemcpy2D of an array");
    void* const p = type == CU_MEMORYTYPE_HOST ? const_cast<void*>(host) : pointer(device);
    return {static_cast<char*>(p) + y * pitch + x, pitch};
}

CUresult copy(const CUDA_MEMCPY2D* c, const CUstream* stream) {
    if (c == nullptr) return CUDA_ERROR_INVALID_VALUE;
    // A pitch of 0 stands for rows without a gap.
    const auto pitch = [&](std::size_t given) { return given == 0 ? c->WidthInBytes : given; };
    const auto is_short = [&](CUmemorytype type, std::size_t given, std::size_t x) {
        return type != CU_MEMORYTYPE_ARRAY && given != 0 && given < x + c->WidthInBytes;
    };
    if (is_short(c->srcMemoryType, c->srcPitch, c->srcXInBytes) ||
        is_short(c->dstMemoryType, c->dstPitch, c->dstXInBytes))
        return driver_is_initialised ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_NOT_INITIALIZED;
    const side from = side_of(c->srcMemoryType, c->srcHost, c->srcDevice, c->srcXInBytes, c->srcY,
                              pitch(c->srcPitch));
    const side to = side_of(c->dstMemoryType, c->dstHost, c->dstDevice, c->dstXInBytes, c->dstY,
                            pitch(c->dstPitch));
    return done([&] {
        return stream == nullptr
                   ? cudaMemcpy2D(to.begin, to.pitch, from.begin, from.pitch, c->WidthInBytes,
                                  c->Height, cudaMemcpyDefault)
                   : cudaMemcpy2DAsync(to.begin, to.pitch, from.begin, from.pitch, c->WidthInBytes,
                                       c->Height, cudaMemcpyDefault, *stream);
    });
}

/// Each row of such units by a call of the driver's for one.
template <class Fill>
CUresult fill_rows(CUdeviceptr p, std::size_t pitch, std::size_t unit, std::size_t height,
                   const Fill& fill) {
    if (height > 1 && pitch % unit != 0) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = CUDA_SUCCESS;
    for (std::size_t y = 0; y < height && result == CUDA_SUCCESS; ++y) result = fill(p + y * pitch);
    return result;
}

#if CUDA_VERSION >= 13000
cudaMemLocation place(const CUmemLocation& location) {
    cudaMemLocation to{};
    to.type = static_cast<cudaMemLocationType>(location.type);
    to.id = location.id;
    return to;
}
#endif

static_assert(sizeof(CUmemPoolProps) == sizeof(cudaMemPoolProps));

}  // namespace

extern "C" {

CUresult cuMemcpy2D(const CUDA_MEMCPY2D* c) { return copy(c, nullptr); }
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* c) { return copy(c, nullptr); }
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* c, CUstream stream) { return copy(c, &stream); }

CUresult cuMemsetD2D8(CUdeviceptr p, std::size_t pitch, unsigned char value, std::size_t width,
                      std::size_t height) {
    return fill_rows(p, pitch, 1, height, [&](auto row) { return cuMemsetD8(row, value, width); });
}
CUresult cuMemsetD2D16(CUdeviceptr p, std::size_t pitch, unsigned short value, std::size_t width,
                       std::size_t height) {
    return fill_rows(p, pitch, 2, height, [&](auto row) { return cuMemsetD16(row, value, width); });
}
CUresult cuMemsetD2D32(CUdeviceptr p, std::size_t pitch, unsigned value, std::size_t width,
                       std::size_t height) {
    return fill_rows(p, pitch, 4, height, [&](auto row) { return cuMemsetD32(row, value, width); });
}

CUresult cuMemGetAddressRange(CUdeviceptr* begin, std::size_t* bytes, CUdeviceptr p) {
    if (!driver_is_initialised) return CUDA_ERROR_NOT_INITIALIZED;
    allocation found;
    if (!find_allocation(pointer(p), found)) return CUDA_ERROR_NOT_FOUND;
    if (begin != nullptr) *begin = found.begin;
    if (bytes != nullptr) *bytes = found.bytes;
    return CUDA_SUCCESS;
}

#if CUDA_VERSION >= 13000
CUresult cuMemPrefetchAsync(CUdeviceptr p, std::size_t bytes, CUmemLocation to, unsigned flags,
                            CUstream stream) {
    return done([&] { return cudaMemPrefetchAsync(pointer(p), bytes, place(to), flags, stream); });
}
CUresult cuMemAdvise(CUdeviceptr p, std::size_t bytes, CUmem_advise advice,
                     CUmemLocation location) {
    return done([&] {
        return cudaMemAdvise(pointer(p), bytes, static_cast<cudaMemoryAdvise>(advice),
                             place(location));
    });
}
#endif

CUresult cuMemPoolCreate(CUmemoryPool* made, const CUmemPoolProps* properties) {
    return done([&] {
        return cudaMemPoolCreate(made, reinterpret_cast<const cudaMemPoolProps*>(properties));
    });
}
CUresult cuMemPoolDestroy(CUmemoryPool p) {
    return done([&] { return cudaMemPoolDestroy(p); });
}
CUresult cuMemPoolTrimTo(CUmemoryPool p, std::size_t bytes) {
    return done([&] { return cudaMemPoolTrimTo(p, bytes); });
}
CUresult cuMemPoolSetAttribute(CUmemoryPool p, CUmemPool_attribute attribute, void* value) {
    return done(
        [&] { return cudaMemPoolSetAttribute(p, static_cast<cudaMemPoolAttr>(attribute), value); });
}
CUresult cuMemPoolGetAttribute(CUmemoryPool p, CUmemPool_attribute attribute, void* value) {
    return done(
        [&] { return cudaMemPoolGetAttribute(p, static_cast<cudaMemPoolAttr>(attribute), value); });
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr* p, std::size_t bytes, CUmemoryPool from,
                                 CUstream stream) {
    return done(
        [&] { return cudaMallocFromPoolAsync(reinterpret_cast<void**>(p), bytes, from, stream); });
}
CUresult cuDeviceGetMemPool(CUmemoryPool* p, CUdevice device) {
    return done([&] { return cudaDeviceGetMemPool(p, device); });
}
CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool p) {
    return done([&] { return cudaDeviceSetMemPool(device, p); });
}

CUresult cuMemAllocAsync(CUdeviceptr* p, std::size_t bytes, CUstream stream) {
    return done([&] { return cudaMallocAsync(reinterpret_cast<void**>(p), bytes, stream); });
}
CUresult cuMemFreeAsync(CUdeviceptr p, CUstream stream) {
    return done([&] { return cudaFreeAsync(pointer(p), stream); });
}
CUresult cuMemAllocPitch(CUdeviceptr* p, std::size_t* pitch, std::size_t width, std::size_t height,
                         unsigned) {
    return done([&] { return cudaMallocPitch(reinterpret_cast<void**>(p), pitch, width, height); });
}
CUresult cuMemHostAlloc(void** p, std::size_t bytes, unsigned flags) {
    return done([&] { return cudaHostAlloc(p, bytes, flags); });
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr* to, void* p, unsigned flags) {
    return done([&] { return cudaHostGetDevicePointer(reinterpret_cast<void**>(to), p, flags); });
}
CUresult cuMemHostRegister(void* p, std::size_t bytes, unsigned flags) {
    return done([&] { return cudaHostRegister(p, bytes, flags); });
}
CUresult cuMemHostUnregister(void* p) {
    return done([&] { return cudaHostUnregister(p); });
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    return done([&] {
        return cudaMemcpyAsync(pointer(to), pointer(from), bytes, cudaMemcpyDefault, stream);
    });
}
CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr p) {
    cudaPointerAttributes location{};
    const CUresult result = done([&] { return cudaPointerGetAttributes(&location, pointer(p)); });
    if (result != CUDA_SUCCESS) return result;
    if (location.type == cudaMemoryTypeUnregistered) return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
        case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
            *static_cast<unsigned*>(value) =
                location.type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
            return CUDA_SUCCESS;
        case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
            *static_cast<void**>(value) = location.devicePointer;
            return CUDA_SUCCESS;
        case CU_POINTER_ATTRIBUTE_HOST_POINTER:
            *static_cast<void**>(value) = location.hostPointer;
            return CUDA_SUCCESS;
        case CU_POINTER_ATTRIBUTE_IS_MANAGED:
            *static_cast<unsigned*>(value) = location.type == cudaMemoryTypeManaged;
            return CUDA_SUCCESS;
        case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
            *static_cast<int*>(value) = 0;
            return CUDA_SUCCESS;
        default:
            fail("unsupported",
                 "cuPointerGetAttribute of attribute " + std::to_string(int{attribute}));
    }
}

}  // extern "C"
