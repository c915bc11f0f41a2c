// Making and destroying texture and surface objects.
#include "texture_objects.h"

#include <cuset_host/device_memory.h>
#include <cuset_host/faults.h>
#include <cuset_host/threads/execution.h>

#include "streams/asynchronous_streams.h"

namespace cuset_host {
namespace {

// All objects that were made. None is freed, so that the use of a destroyed one is noticed.
std::mutex objects_mutex;
std::vector<texture*>& textures() {
    static auto& all = *new std::vector<texture*>;
    return all;
}
std::vector<surface*>& surfaces() {
    static auto& all = *new std::vector<surface*>;
    return all;
}

template <class Object>
Object* find_live(const std::vector<Object*>& all, unsigned long long handle) {
    for (Object* object : all)
        if (handle_of(object) == handle && object->shape != texture_shape::none) return object;
    return nullptr;
}

}  // namespace

void drop_objects_of(cudaArray_const_t array) {
    const std::lock_guard<std::mutex> lock(objects_mutex);
    for (texture* t : textures())  // mipmaps have the first level's data
        if (t->data == array->data) t->shape = texture_shape::none;
    for (surface* s : surfaces())
        if (s->resource.res.array.array == array) s->shape = texture_shape::none;
}

namespace {

constexpr size_t texture_alignment = 512, pitch_alignment = 32;  // cudaDeviceProp, sm_75 to sm_120

cudaError_t take_memory(texture& t, const cudaChannelFormatDesc& format, const void* data) {
    if (data == nullptr || reinterpret_cast<size_t>(data) % texture_alignment != 0 ||
        kind_of(data) == memory_kind::host)
        return cudaErrorInvalidValue;
    if (const cudaError_t error = read_format(format, t.format, t.channels)) return error;
    t.texel_bytes = t.channels * channel_bytes(t.format);
    t.data = static_cast<const unsigned char*>(data);
    return cudaSuccess;
}

void take_array(texture& t, const cudaArray& array) {
    t.shape = array.shape;
    t.format = array.format;
    t.channels = array.channels;
    t.texel_bytes = array.texel_bytes;
    t.data = array.data;
    t.row_bytes = array.row_bytes;
    t.slice_bytes = array.slice_bytes();
    t.extent[0] = static_cast<long long>(array.extent.width);
    t.extent[1] = static_cast<long long>(array.rows);
    t.extent[2] = static_cast<long long>(array.slices);
}

cudaError_t take_resource(texture& t, const cudaResourceDesc& resource,
                          cudaChannelFormatKind& kind) {
    switch (resource.resType) {
        case cudaResourceTypeArray: {
            const cudaArray* array = resource.res.array.array;
            if (array == nullptr) return cudaErrorInvalidResourceHandle;
            take_array(t, *array);
            kind = array->description.f;
            return cudaSuccess;
        }
        case cudaResourceTypeMipmappedArray: {
            const cudaMipmappedArray* mipmaps = resource.res.mipmap.mipmap;
            if (!is_live(mipmaps)) return cudaErrorInvalidResourceHandle;
            take_array(t, *mipmaps->levels[0]);
            t.last_level = static_cast<int>(mipmaps->levels.size()) - 1;
            kind = mipmaps->levels[0]->description.f;
            return cudaSuccess;
        }
        case cudaResourceTypeLinear: {
            const auto& linear = resource.res.linear;
            if (const cudaError_t error = take_memory(t, linear.desc, linear.devPtr)) return error;
            t.shape = texture_shape::linear;
            t.extent[0] = static_cast<long long>(linear.sizeInBytes / t.texel_bytes);
            kind = linear.desc.f;
            if (!is_within(linear.devPtr, linear.sizeInBytes)) return cudaErrorInvalidValue;
            return t.extent[0] > 0 && t.extent[0] <= 1ll << 28 ? cudaSuccess
                                                               : cudaErrorInvalidValue;
        }
        case cudaResourceTypePitch2D: {
            const auto& pitch = resource.res.pitch2D;
            if (const cudaError_t error = take_memory(t, pitch.desc, pitch.devPtr)) return error;
            if (pitch.width == 0 || pitch.height == 0 || pitch.width > 131072 ||
                pitch.height > 65000 || pitch.pitchInBytes % pitch_alignment != 0 ||
                pitch.pitchInBytes < pitch.width * t.texel_bytes ||
                !is_within(pitch.devPtr,
                           pitch.pitchInBytes * (pitch.height - 1) + pitch.width * t.texel_bytes))
                return cudaErrorInvalidValue;
            t.shape = texture_shape::two;
            t.row_bytes = pitch.pitchInBytes;
            t.extent[0] = static_cast<long long>(pitch.width);
            t.extent[1] = static_cast<long long>(pitch.height);
            kind = pitch.desc.f;
            return cudaSuccess;
        }
        default: return cudaErrorInvalidValue;
    }
}

cudaError_t take_description(texture& t, const cudaTextureDesc& d, cudaChannelFormatKind kind) {
    const bool narrow_integer =
        kind != cudaChannelFormatKindFloat && t.format != channel_format::word;
    t.normalized_float = d.readMode == cudaReadModeNormalizedFloat && narrow_integer;
    t.is_float = kind == cudaChannelFormatKindFloat || t.normalized_float;
    t.srgb = d.sRGB != 0 && t.normalized_float && t.format == channel_format::u8;
    t.normalized_coordinates = d.normalizedCoords != 0;
    t.linear_filter = d.filterMode == cudaFilterModeLinear && t.shape != texture_shape::linear;
    const bool blends_levels = t.last_level > 0 && d.mipmapFilterMode == cudaFilterModeLinear;
    if ((t.linear_filter || blends_levels) && !t.is_float) return cudaErrorInvalidFilterSetting;
    if (t.last_level > 0 && !t.normalized_coordinates) return cudaErrorInvalidValue;
    if (t.last_level > 0 && d.maxAnisotropy > 1)
        fail("unsupported", "an anisotropic texture of mipmaps");
    const bool is_cube =
        t.shape == texture_shape::cube || t.shape == texture_shape::layers_of_cubes;
    if (is_cube && t.linear_filter && d.seamlessCubemap != 0)
        fail("unsupported", "a cubemap that is blended across its edges");
    if (is_cube) t.normalized_coordinates = true;  // a direction's place on a face
    for (int i = 0; i < 3; ++i) {
        t.address[i] = d.addressMode[i];
        if (t.address[i] < cudaAddressModeWrap || t.address[i] > cudaAddressModeBorder)
            return cudaErrorInvalidValue;
        // Unnormalized coordinates cannot wrap: the mode becomes clamp.
        if ((!t.normalized_coordinates && t.address[i] != cudaAddressModeBorder) || is_cube)
            t.address[i] = cudaAddressModeClamp;
    }
    for (int i = 0; i < 4; ++i) {
        t.border.bits[i] = same_bits<unsigned>(d.borderColor[i]);
        if (!t.is_float && d.borderColor[i] != 0.0f)
            fail("unsupported", "a border colour for a texture of integers");
    }
    return cudaSuccess;
}

cudaError_t create_texture(cudaTextureObject_t* handle, const cudaResourceDesc* resource,
                           const cudaTextureDesc* description, const cudaResourceViewDesc* view) {
    if (handle == nullptr || resource == nullptr || description == nullptr)
        return cudaErrorInvalidValue;
    if (view != nullptr) {
        if (resource->resType != cudaResourceTypeArray &&
            resource->resType != cudaResourceTypeMipmappedArray)
            return cudaErrorInvalidValue;
        fail("unsupported", "a texture object with a cudaResourceViewDesc");
    }
    texture t;
    cudaChannelFormatKind kind = cudaChannelFormatKindNone;
    if (const cudaError_t error = take_resource(t, *resource, kind)) return error;
    if (const cudaError_t error = take_description(t, *description, kind)) return error;
    t.resource = *resource;
    t.description = *description;
    if (t.last_level > 0) {
        auto* const levels = new texture[static_cast<size_t>(t.last_level)];
        for (int i = 0; i < t.last_level; ++i) {
            levels[i] = t;
            take_array(levels[i], *resource->res.mipmap.mipmap->levels[static_cast<size_t>(i) + 1]);
        }
        t.more_levels = levels;
    }
    auto* const object = new texture(t);
    const std::lock_guard<std::mutex> lock(objects_mutex);
    textures().push_back(object);
    *handle = handle_of(object);
    return cudaSuccess;
}

cudaError_t create_surface(cudaSurfaceObject_t* handle, const cudaResourceDesc* resource) {
    if (handle == nullptr || resource == nullptr || resource->resType != cudaResourceTypeArray)
        return cudaErrorInvalidValue;
    const cudaArray* array = resource->res.array.array;
    if (array == nullptr) return cudaErrorInvalidResourceHandle;
    // Programs make surfaces of levels that were not made for it, as NVIDIA's samples do.
    if ((array->flags & cudaArraySurfaceLoadStore) == 0 && !array->is_level)
        return cudaErrorInvalidValue;
    auto* const object = new surface;
    object->shape = array->shape;
    object->data = array->data;
    object->row_bytes = array->row_bytes;
    object->slice_bytes = array->slice_bytes();
    object->row_length = static_cast<long long>(array->row_bytes);
    object->rows = static_cast<long long>(array->rows);
    object->slices = static_cast<long long>(array->slices);
    object->resource = *resource;
    const std::lock_guard<std::mutex> lock(objects_mutex);
    surfaces().push_back(object);
    *handle = handle_of(object);
    return cudaSuccess;
}

/// Applies `read` to the live object of this handle.
template <class Object, class Read>
cudaError_t with_live(const std::vector<Object*>& all, unsigned long long handle,
                      const void* result, Read read) {
    if (result == nullptr) return cudaErrorInvalidValue;
    const std::lock_guard<std::mutex> lock(objects_mutex);
    Object* object = find_live(all, handle);
    if (object == nullptr) return cudaErrorInvalidValue;
    read(*object);
    return cudaSuccess;
}

}  // namespace
}  // namespace cuset_host

using namespace cuset_host;

extern "C" {

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* handle, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* description,
                                    const cudaResourceViewDesc* view) {
    return set_error(create_texture(handle, resource, description, view));
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t handle) {
    if (handle == 0) return set_error(cudaSuccess);
    set_error(wait_for_all_streams());
    return set_error(
        with_live(textures(), handle, &handle, [](texture& t) { t.shape = texture_shape::none; }));
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaTextureObject_t handle) {
    return set_error(
        with_live(textures(), handle, resource, [&](const texture& t) { *resource = t.resource; }));
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* description,
                                            cudaTextureObject_t handle) {
    return set_error(with_live(textures(), handle, description,
                               [&](const texture& t) { *description = t.description; }));
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* handle, const cudaResourceDesc* resource) {
    return set_error(create_surface(handle, resource));
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t handle) {
    if (handle == 0) return set_error(cudaSuccess);
    set_error(wait_for_all_streams());
    return set_error(
        with_live(surfaces(), handle, &handle, [](surface& s) { s.shape = texture_shape::none; }));
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaSurfaceObject_t handle) {
    return set_error(
        with_live(surfaces(), handle, resource, [&](const surface& s) { *resource = s.resource; }));
}

}  // extern "C"
