#include "arrays.h"

#include <cuset_host/device_memory.h>
#include <cuset_host/faults.h>
#include <cuset_host/threads/execution.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_set>

#include "checks/checks.h"
#include "kernel_stores.h"
#include "streams/asynchronous_streams.h"
#include "streams/graphs.h"

namespace cuset_host {

cudaError_t read_format(const cudaChannelFormatDesc& d, channel_format& format,
                        unsigned& channels) {
    const int sizes[4] = {d.x, d.y, d.z, d.w};
    channels = 0;
    while (channels < 4 && sizes[channels] != 0) ++channels;
    for (unsigned i = 0; i < 4; ++i) {
        if (i < channels && sizes[i] != d.x) return cudaErrorInvalidChannelDescriptor;
        if (i >= channels && sizes[i] != 0) return cudaErrorInvalidChannelDescriptor;
    }
    if (channels == 0 || channels == 3) return cudaErrorInvalidChannelDescriptor;
    switch (d.f) {
        case cudaChannelFormatKindSigned:
        case cudaChannelFormatKindUnsigned: {
            const bool is_signed = d.f == cudaChannelFormatKindSigned;
            if (d.x == 8)
                format = is_signed ? channel_format::s8 : channel_format::u8;
            else if (d.x == 16)
                format = is_signed ? channel_format::s16 : channel_format::u16;
            else if (d.x == 32)
                format = channel_format::word;
            else
                return cudaErrorInvalidChannelDescriptor;
            return cudaSuccess;
        }
        case cudaChannelFormatKindFloat:
            if (d.x == 16)
                format = channel_format::half;
            else if (d.x == 32)
                format = channel_format::word;
            else
                return cudaErrorInvalidChannelDescriptor;
            return cudaSuccess;
        case cudaChannelFormatKindNone: return cudaErrorInvalidChannelDescriptor;
        default: fail("unsupported", "a texture's channel format other than integers and floats");
    }
}

namespace {

std::mutex live_mutex;
std::unordered_set<const cudaArray*>& live_arrays() {
    static auto& arrays = *new std::unordered_set<const cudaArray*>;  // outlives every exit handler
    return arrays;
}

std::unordered_set<const cudaMipmappedArray*>& live_mipmaps() {
    static auto& mipmaps = *new std::unordered_set<const cudaMipmappedArray*>;
    return mipmaps;
}

constexpr unsigned modelled_flags =
    cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayTextureGather | cudaArrayCubemap;

/// The limits of compute capability 7.5 to 12 ("Technical Specifications", programming guide).
bool within_limits(texture_shape shape, const cudaExtent& e) {
    switch (shape) {
        case texture_shape::one: return e.width <= 131072;
        case texture_shape::two: return e.width <= 131072 && e.height <= 65536;
        case texture_shape::three: return e.width <= 16384 && e.height <= 16384 && e.depth <= 16384;
        case texture_shape::layers_of_one: return e.width <= 32768 && e.depth <= 2048;
        case texture_shape::layers_of_two:
            return e.width <= 32768 && e.height <= 32768 && e.depth <= 2048;
        case texture_shape::cube: return e.width <= 32768 && e.width == e.height && e.depth == 6;
        case texture_shape::layers_of_cubes:
            return e.width <= 32768 && e.width == e.height && e.depth % 6 == 0 &&
                   e.depth <= 6 * 341;
        default: return false;
    }
}

texture_shape shape_of(const cudaExtent& extent, unsigned flags) {
    const bool layered = (flags & cudaArrayLayered) != 0;
    if ((flags & cudaArrayCubemap) != 0)
        return layered ? texture_shape::layers_of_cubes : texture_shape::cube;
    if (layered)
        return extent.height == 0 ? texture_shape::layers_of_one : texture_shape::layers_of_two;
    return extent.depth != 0    ? texture_shape::three
           : extent.height != 0 ? texture_shape::two
                                : texture_shape::one;
}

cudaError_t allocate(cudaArray_t* result, const cudaChannelFormatDesc* description,
                     cudaExtent extent, unsigned flags) {
    if (result == nullptr || description == nullptr) return cudaErrorInvalidValue;
    if ((flags & ~modelled_flags) != 0) fail("unsupported", "a sparse or deferred CUDA array");
    channel_format format{};
    unsigned channels = 0;
    if (const cudaError_t error = read_format(*description, format, channels)) return error;
    const bool layered = (flags & cudaArrayLayered) != 0;
    if (extent.width == 0 || (layered && extent.depth == 0)) return cudaErrorInvalidValue;
    if (!layered && extent.depth != 0 && extent.height == 0) return cudaErrorInvalidValue;
    const texture_shape shape = shape_of(extent, flags);
    if (!within_limits(shape, extent)) return cudaErrorInvalidValue;

    const unsigned texel = channels * channel_bytes(format);
    const size_t rows = std::max<size_t>(extent.height, 1);
    const size_t slices = std::max<size_t>(extent.depth, 1);
    const size_t bytes = extent.width * texel * rows * slices;
    auto* data = static_cast<unsigned char*>(std::malloc((bytes + 3) / 4 * 4));
    if (data == nullptr) return cudaErrorMemoryAllocation;
    fill_fresh(data, (bytes + 3) / 4 * 4);
    auto* array = new cudaArray{*description,         format, channels, texel, flags, extent, shape,
                                extent.width * texel, rows,   slices,   data};
    const std::lock_guard<std::mutex> lock(live_mutex);
    live_arrays().insert(array);
    *result = array;
    return cudaSuccess;
}

void free_array(cudaArray* array) {
    drop_objects_of(array);
    std::free(array->data);
    delete array;
}

void drop_levels(const cudaMipmappedArray& mipmaps) {
    for (cudaArray* level : mipmaps.levels) {
        {
            const std::lock_guard<std::mutex> lock(live_mutex);
            live_arrays().erase(level);
        }
        free_array(level);
    }
}

/// Layers stay as many in each level.
cudaError_t allocate_mipmaps(cudaMipmappedArray_t* result, const cudaChannelFormatDesc* description,
                             cudaExtent extent, unsigned count, unsigned flags) {
    if (result == nullptr) return cudaErrorInvalidValue;
    count = std::max(count, 1U);
    const texture_shape shape = shape_of(extent, flags);
    const auto half = [](size_t n) { return n > 1 ? n / 2 : n; };
    auto* const made = new cudaMipmappedArray{flags, extent, {}};
    cudaExtent e = extent;
    for (unsigned level = 0; level < count; ++level) {
        cudaArray* array = nullptr;
        if (const cudaError_t error = allocate(&array, description, e, flags)) {
            drop_levels(*made);
            delete made;
            return error;
        }
        array->is_level = true;
        made->levels.push_back(array);
        const bool is_last =
            e.width <= 1 && e.height <= 1 && (shape != texture_shape::three || e.depth <= 1);
        if (is_last) break;
        e = {half(e.width), half(e.height),
             shape == texture_shape::three ? half(e.depth) : e.depth};
    }
    const std::lock_guard<std::mutex> lock(live_mutex);
    live_mipmaps().insert(made);
    *result = made;
    return cudaSuccess;
}

}  // namespace

bool is_live(const cudaArray* array) {
    const std::lock_guard<std::mutex> lock(live_mutex);
    return live_arrays().count(array) != 0;
}
bool is_live(const cudaMipmappedArray* mipmaps) {
    const std::lock_guard<std::mutex> lock(live_mutex);
    return live_mipmaps().count(mipmaps) != 0;
}

}  // namespace cuset_host

using namespace cuset_host;

extern "C" {

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* description,
                            size_t width, size_t height, unsigned flags) {
    if (const cudaError_t error = unsafe_in_capture(); error != cudaSuccess)
        return set_error(error);
    if ((flags & cudaArrayLayered) != 0) return set_error(cudaErrorInvalidValue);
    return set_error(allocate(array, description, {width, height, 0}, flags));
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* description,
                              cudaExtent extent, unsigned flags) {
    if (const cudaError_t error = unsafe_in_capture(); error != cudaSuccess)
        return set_error(error);
    return set_error(allocate(array, description, extent, flags));
}

cudaError_t cudaFreeArray(cudaArray_t array) {
    if (array == nullptr) return set_error(cudaSuccess);
    if (const cudaError_t error = unsafe_in_capture(); error != cudaSuccess)
        return set_error(error);
    set_error(wait_for_all_streams());
    {
        const std::lock_guard<std::mutex> lock(live_mutex);
        if (live_arrays().count(array) == 0 || array->is_level)
            return set_error(cudaErrorInvalidResourceHandle);
        live_arrays().erase(array);
    }
    free_array(array);
    return set_error(cudaSuccess);
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* mipmaps,
                                     const cudaChannelFormatDesc* description, cudaExtent extent,
                                     unsigned levels, unsigned flags) {
    if (const cudaError_t error = unsafe_in_capture(); error != cudaSuccess)
        return set_error(error);
    return set_error(allocate_mipmaps(mipmaps, description, extent, levels, flags));
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* array, cudaMipmappedArray_const_t mipmaps,
                                       unsigned level) {
    if (!is_live(mipmaps)) return set_error(cudaErrorInvalidResourceHandle);
    if (array == nullptr || level >= mipmaps->levels.size())
        return set_error(cudaErrorInvalidValue);
    *array = mipmaps->levels[level];
    return set_error(cudaSuccess);
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmaps) {
    if (mipmaps == nullptr) return set_error(cudaSuccess);
    if (const cudaError_t error = unsafe_in_capture(); error != cudaSuccess)
        return set_error(error);
    set_error(wait_for_all_streams());
    {
        const std::lock_guard<std::mutex> lock(live_mutex);
        if (live_mipmaps().erase(mipmaps) == 0) return set_error(cudaErrorInvalidResourceHandle);
    }
    drop_levels(*mipmaps);
    delete mipmaps;
    return set_error(cudaSuccess);
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* description, cudaExtent* extent,
                             unsigned* flags, cudaArray_t array) {
    if (!is_live(array)) return set_error(cudaErrorInvalidResourceHandle);
    if (description != nullptr) *description = array->description;
    if (extent != nullptr) *extent = array->extent;
    if (flags != nullptr) *flags = array->flags;
    return set_error(cudaSuccess);
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* description, cudaArray_const_t array) {
    if (!is_live(array)) return set_error(cudaErrorInvalidResourceHandle);
    if (description == nullptr) return set_error(cudaErrorInvalidValue);
    *description = array->description;
    return set_error(cudaSuccess);
}

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
    return {x, y, z, w, f};
}

}  // extern "C"
