#include "arrays.h"

#include <cuset_host/device_memory.h>
#include <cuset_host/execution.h>
#include <cuset_host/faults.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_set>

#include "asynchronous_streams.h"
#include "checks.h"
#include "graphs.h"
#include "kernel_stores.h"

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
bool is_live(const cudaArray* array) {
    const std::lock_guard<std::mutex> lock(live_mutex);
    return live_arrays().count(array) != 0;
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
    const unsigned fresh = fresh_word;
    for (size_t i = 0; i < (bytes + 3) / 4; ++i) std::memcpy(data + 4 * i, &fresh, 4);
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

/// One side of a copy: memory in rows and slices; x counts bytes.
struct side {
    unsigned char* data;
    size_t row_bytes, slice_bytes;
    unsigned char* at(size_t x, size_t y, size_t z) const {
        return data + z * slice_bytes + y * row_bytes + x;
    }
};
struct box {
    size_t width, height, depth;  ///< bytes, rows, slices
};

side side_of(const cudaArray* array) {
    return {array->data, array->row_bytes, array->slice_bytes()};
}
side pitched(const void* p, size_t pitch, size_t rows) {
    return {static_cast<unsigned char*>(const_cast<void*>(p)), pitch, pitch * rows};
}

bool fits(const cudaArray* a, size_t x, size_t y, size_t z, const box& b) {
    return x % a->texel_bytes == 0 && b.width % a->texel_bytes == 0 && x <= a->row_bytes &&
           b.width <= a->row_bytes - x && y <= a->rows && b.height <= a->rows - y &&
           z <= a->slices && b.depth <= a->slices - z;
}

/// Whether ordinary memory on one side of a copy is on the side that the direction names, and
/// inside its allocation.
bool memory_is_right(const side& s, const box& b, bool is_source, cudaMemcpyKind kind) {
    const bool on_host = kind == (is_source ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
    const memory_kind where = kind_of(s.data);
    if (kind != cudaMemcpyDefault && where != memory_kind::managed) {
        if (on_host && where != memory_kind::host && where != memory_kind::pinned) return false;
        if (!on_host && where == memory_kind::host) return false;
    }
    for (size_t z = 0; z < b.depth; ++z)
        for (size_t y = 0; y < b.height; ++y)
            if (!is_within(s.at(0, y, z), b.width)) return false;
    return true;
}

/// The memory of an array counts as device memory, though it is ordinary memory here.
void note_row(unsigned char* to, const unsigned char* from, size_t bytes) {
    const memory_kind target = kind_of(to), source = kind_of(from);
    const auto is_hosts = [](memory_kind kind) {
        return kind == memory_kind::host || kind == memory_kind::pinned;
    };
    if (!is_hosts(target) && !is_hosts(source)) {
        device_copies(to, from, bytes);
    } else if (target != memory_kind::host) {
        host_writes(to, bytes);
    }
    if (target != memory_kind::host) checks::copied(to, from, bytes);  // an array has no states
    std::memmove(to, from, bytes);
    if (is_hosts(target) && source != memory_kind::pinned) host_has_read(from, bytes);
}

void copy(const side& to, const side& from, const box& b, bool is_made) {
    if (!is_made) return;  // it was only looked at
    set_error(wait_for_stream(nullptr));
    const device_access guard;
    for (size_t z = 0; z < b.depth; ++z)
        for (size_t y = 0; y < b.height; ++y) note_row(to.at(0, y, z), from.at(0, y, z), b.width);
}

bool reads_device(cudaMemcpyKind kind) {
    return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice ||
           kind == cudaMemcpyDefault;
}
bool writes_device(cudaMemcpyKind kind) {
    return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice ||
           kind == cudaMemcpyDefault;
}

/// What each copy between an array and memory asks first.
cudaError_t begin_copy(const cudaArray* array, bool to_array, cudaMemcpyKind kind) {
    if (!is_live(array)) return cudaErrorInvalidResourceHandle;
    const bool is_right = to_array ? writes_device(kind) : reads_device(kind);
    return is_right ? cudaSuccess : cudaErrorInvalidMemcpyDirection;
}

/// Copies a rectangle to the array, or from it; x and width count bytes.
cudaError_t copy_2d(const cudaArray* array, size_t x, size_t y, const void* memory, size_t pitch,
                    size_t width, size_t height, bool to_array, cudaMemcpyKind kind,
                    bool is_made = true) {
    if (const cudaError_t error = begin_copy(array, to_array, kind)) return error;
    if (width == 0 || height == 0) return cudaSuccess;
    if (memory == nullptr) return cudaErrorInvalidValue;
    if (width > pitch) return cudaErrorInvalidPitchValue;
    const box b{width, height, 1};
    const side outside = pitched(memory, pitch, height);
    if (!fits(array, x, y, 0, b) || !memory_is_right(outside, b, to_array, kind))
        return cudaErrorInvalidValue;
    side inside = side_of(array);
    inside.data = inside.at(x, y, 0);
    copy(to_array ? inside : outside, to_array ? outside : inside, b, is_made);
    return cudaSuccess;
}

/// The older copies count bytes from (x, y) on, row by row.
bool run_fits(const cudaArray* a, size_t x, size_t y, size_t bytes) {
    return x <= a->row_bytes && y <= a->rows && y * a->row_bytes + x + bytes <= a->slice_bytes() &&
           bytes <= a->slice_bytes();
}
cudaError_t copy_run(const cudaArray* array, size_t x, size_t y, const void* memory, size_t bytes,
                     bool to_array, cudaMemcpyKind kind, bool is_made = true) {
    if (const cudaError_t error = begin_copy(array, to_array, kind)) return error;
    const box b{bytes, 1, 1};
    const side outside = pitched(memory, bytes, 1);
    if (memory == nullptr || !run_fits(array, x, y, bytes) ||
        !memory_is_right(outside, b, to_array, kind))
        return cudaErrorInvalidValue;
    const side inside{side_of(array).at(x, y, 0), bytes, bytes};
    copy(to_array ? inside : outside, to_array ? outside : inside, b, is_made);
    return cudaSuccess;
}

cudaError_t copy_3d(const cudaMemcpy3DParms* p, bool is_made = true) {
    if (p == nullptr) return cudaErrorInvalidValue;
    const bool from_array = p->srcArray != nullptr, to_array = p->dstArray != nullptr;
    if (from_array == (p->srcPtr.ptr != nullptr)) return cudaErrorInvalidValue;
    if (to_array == (p->dstPtr.ptr != nullptr)) return cudaErrorInvalidValue;
    if ((from_array && !is_live(p->srcArray)) || (to_array && !is_live(p->dstArray)))
        return cudaErrorInvalidResourceHandle;
    if ((from_array && !reads_device(p->kind)) || (to_array && !writes_device(p->kind)))
        return cudaErrorInvalidMemcpyDirection;
    const size_t from_unit = from_array ? p->srcArray->texel_bytes : 1;
    const size_t to_unit = to_array ? p->dstArray->texel_bytes : 1;
    if (from_array && to_array && from_unit != to_unit) return cudaErrorInvalidValue;
    // The extent is in the array's texels, if there is an array.
    const box b{p->extent.width * std::max(from_unit, to_unit), p->extent.height, p->extent.depth};
    if (b.width == 0 || b.height == 0 || b.depth == 0) return cudaSuccess;

    const auto place = [&](cudaArray_t array, const cudaPitchedPtr& memory, const cudaPos& at,
                           size_t unit, side& s) {
        const size_t x = at.x * unit;
        if (array != nullptr) {
            if (!fits(array, x, at.y, at.z, b)) return cudaErrorInvalidValue;
            s = side_of(array);
        } else {
            if (x + b.width > memory.pitch) return cudaErrorInvalidPitchValue;
            if (b.depth > 1 && at.y + b.height > memory.ysize) return cudaErrorInvalidValue;
            s = pitched(memory.ptr, memory.pitch, memory.ysize);
        }
        s.data = s.at(x, at.y, at.z);
        return cudaSuccess;
    };
    side from{}, to{};
    if (const cudaError_t error = place(p->srcArray, p->srcPtr, p->srcPos, from_unit, from))
        return error;
    if (const cudaError_t error = place(p->dstArray, p->dstPtr, p->dstPos, to_unit, to))
        return error;
    if ((!from_array && !memory_is_right(from, b, true, p->kind)) ||
        (!to_array && !memory_is_right(to, b, false, p->kind)))
        return cudaErrorInvalidValue;
    copy(to, from, b, is_made);
    return cudaSuccess;
}

cudaError_t copy_2d_between(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                            size_t x, size_t y, size_t width, size_t height, cudaMemcpyKind kind) {
    if (!is_live(to) || !is_live(from)) return cudaErrorInvalidResourceHandle;
    if (!reads_device(kind) || !writes_device(kind)) return cudaErrorInvalidMemcpyDirection;
    const box b{width, height, 1};
    if (!fits(to, to_x, to_y, 0, b) || !fits(from, x, y, 0, b)) return cudaErrorInvalidValue;
    side target = side_of(to), source = side_of(from);
    target.data = target.at(to_x, to_y, 0);
    source.data = source.at(x, y, 0);
    copy(target, source, b, true);
    return cudaSuccess;
}

}  // namespace

bool is_live(const cudaMipmappedArray* mipmaps) {
    const std::lock_guard<std::mutex> lock(live_mutex);
    return live_mipmaps().count(mipmaps) != 0;
}

}  // namespace cuset_host

using namespace cuset_host;

extern "C" {

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* description,
                            size_t width, size_t height, unsigned flags) {
    if ((flags & cudaArrayLayered) != 0) return set_error(cudaErrorInvalidValue);
    return set_error(allocate(array, description, {width, height, 0}, flags));
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* description,
                              cudaExtent extent, unsigned flags) {
    return set_error(allocate(array, description, extent, flags));
}

cudaError_t cudaFreeArray(cudaArray_t array) {
    if (array == nullptr) return set_error(cudaSuccess);
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

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                size_t width, size_t height, cudaMemcpyKind kind) {
    return set_error(copy_2d(to, x, y, from, pitch, width, height, true, kind));
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from,
                                     size_t pitch, size_t width, size_t height, cudaMemcpyKind kind,
                                     cudaStream_t stream) {
    return checked_copy_in_stream(stream, from, from, [=](bool is_made) {
        return copy_2d(to, x, y, from, pitch, width, height, true, kind, is_made);
    });
}

cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x,
                                  size_t y, size_t width, size_t height, cudaMemcpyKind kind) {
    return set_error(copy_2d(from, x, y, to, pitch, width, height, false, kind));
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x,
                                       size_t y, size_t width, size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
    return checked_copy_in_stream(stream, to, to, [=](bool is_made) {
        return copy_2d(from, x, y, to, pitch, width, height, false, kind, is_made);
    });
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                     cudaArray_const_t from, size_t x, size_t y, size_t width,
                                     size_t height, cudaMemcpyKind kind) {
    return set_error(copy_2d_between(to, to_x, to_y, from, x, y, width, height, kind));
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                              cudaMemcpyKind kind) {
    return set_error(copy_run(to, x, y, from, bytes, true, kind));
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from,
                                   size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    return checked_copy_in_stream(stream, from, from, [=](bool is_made) {
        return copy_run(to, x, y, from, bytes, true, kind, is_made);
    });
}

cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                cudaMemcpyKind kind) {
    return set_error(copy_run(from, x, y, to, bytes, false, kind));
}

cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, size_t x, size_t y,
                                     size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    return checked_copy_in_stream(stream, to, to, [=](bool is_made) {
        return copy_run(from, x, y, to, bytes, false, kind, is_made);
    });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
    return set_error(copy_3d(parameters));
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
    if (parameters == nullptr) return set_error(cudaErrorInvalidValue);
    // An end that is an array is no pageable memory.
    const auto memory_of = [](const cudaPitchedPtr& given, const cudaPitchedPtr& other) {
        return given.ptr != nullptr ? given.ptr : other.ptr;
    };
    return checked_copy_in_stream(
        stream, memory_of(parameters->dstPtr, parameters->srcPtr),
        memory_of(parameters->srcPtr, parameters->dstPtr),
        [given = *parameters](bool is_made) { return copy_3d(&given, is_made); });
}

}  // extern "C"
