#include <cuset_host/device_memory.h>
#include <cuset_host/execution.h>
#include <cuset_host/faults.h>
#include <cuset_host/textures.h>

#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "arrays.h"

// Fetching is as in the CUDA C++ Programming Guide, appendix "Texture Fetching".

namespace cuset_host {
namespace {

// A fetch runs in a kernel, where the sanitizer would take descriptors and arrays for host memory:
// hence CUSET_HOST_UNSEEN.

struct texture {
    texture_shape shape = texture_shape::none;  ///< none: destroyed
    channel_format format = channel_format::u8;
    unsigned channels = 1;
    unsigned texel_bytes = 1;
    bool is_float = false;          ///< what a fetch returns
    bool normalized_float = false;  ///< 8 or 16 bits, read as [0, 1] or [-1, 1]
    bool linear_filter = false;
    bool normalized_coordinates = false;
    bool srgb = false;
    cudaTextureAddressMode address[3] = {};
    texel border = {};
    const unsigned char* data = nullptr;
    size_t row_bytes = 0, slice_bytes = 0;
    long long extent[3] = {1, 1, 1};  ///< in texels; of layers, the number in the last
    cudaResourceDesc resource = {};
    cudaTextureDesc description = {};
};

struct surface {
    texture_shape shape = texture_shape::none;
    unsigned char* data = nullptr;
    size_t row_bytes = 0, slice_bytes = 0;
    long long row_length = 0, rows = 0, slices = 0;  ///< row_length in bytes
    cudaResourceDesc resource = {};
};

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

/// A handle is the address with all bits inverted. Arguments of kernels that look like host
/// addresses are changed to trap; this one does not look like one.
unsigned long long handle_of(const void* object) {
    return ~reinterpret_cast<unsigned long long>(object);
}
template <class Object>
CUSET_HOST_UNSEEN inline const Object& object_of(unsigned long long handle) {
    return *reinterpret_cast<const Object*>(~handle);
}

template <class Object>
Object* find_live(const std::vector<Object*>& all, unsigned long long handle) {
    for (Object* object : all)
        if (handle_of(object) == handle && object->shape != texture_shape::none) return object;
    return nullptr;
}

[[noreturn]] __attribute__((noinline)) void misused(texture_shape is, texture_shape wanted,
                                                    bool is_surface) {
    const char* const object = is_surface ? "surface" : "texture";
    if (is == texture_shape::none)
        fail("use_after_free", std::string("a kernel uses a destroyed ") + object + " object");
    static const char* const names[] = {"",
                                        "linear memory",
                                        "one dimension",
                                        "two dimensions",
                                        "three dimensions",
                                        "layers of one dimension",
                                        "layers of two dimensions"};
    fail("unsupported", std::string("a ") + object + " of " + names[static_cast<int>(is)] +
                            " used as one of " + names[static_cast<int>(wanted)]);
}

// ---- A texel as the texture unit's four registers

CUSET_HOST_UNSEEN float half_to_float(unsigned bits) {
    const unsigned sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31, rest = bits & 0x3ffu;
    if (exponent == 31) return same_bits<float>(sign | 0x7f800000u | rest << 13);
    if (exponent != 0) return same_bits<float>(sign | (exponent + 112) << 23 | rest << 13);
    const float tiny = static_cast<float>(rest) * 0x1p-24f;
    return sign != 0 ? -tiny : tiny;
}

CUSET_HOST_UNSEEN float srgb_to_linear(float c) {
    return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
}

CUSET_HOST_UNSEEN inline unsigned load_channel(const texture& t, const unsigned char* p,
                                               unsigned channel) {
    float value;
    switch (t.format) {
        case channel_format::u8:
            if (!t.normalized_float) return *p;
            value = static_cast<float>(*p) / 255.0f;
            if (t.srgb && channel < 3) value = srgb_to_linear(value);
            break;
        case channel_format::s8: {
            const int x = static_cast<signed char>(*p);
            if (!t.normalized_float) return static_cast<unsigned>(x);
            value = x == -128 ? -1.0f : static_cast<float>(x) / 127.0f;
            break;
        }
        case channel_format::u16: {
            const unsigned x = *reinterpret_cast<const unsigned short*>(p);
            if (!t.normalized_float) return x;
            value = static_cast<float>(x) / 65535.0f;
            break;
        }
        case channel_format::s16: {
            const int x = *reinterpret_cast<const short*>(p);
            if (!t.normalized_float) return static_cast<unsigned>(x);
            value = x == -32768 ? -1.0f : static_cast<float>(x) / 32767.0f;
            break;
        }
        case channel_format::half:
            value = half_to_float(*reinterpret_cast<const unsigned short*>(p));
            break;
        default: return *reinterpret_cast<const unsigned*>(p);
    }
    return same_bits<unsigned>(value);
}

CUSET_HOST_UNSEEN inline texel load(const texture& t, long long i, long long j, long long k) {
    if ((i | j | k) < 0) return t.border;
    const unsigned char* p = t.data + static_cast<size_t>(k) * t.slice_bytes +
                             static_cast<size_t>(j) * t.row_bytes +
                             static_cast<size_t>(i) * t.texel_bytes;
    const unsigned bytes = channel_bytes(t.format);
    texel result = {{0, 0, 0, t.is_float ? 0x3f800000u : 1u}};
    for (unsigned c = 0; c < t.channels; ++c) result.bits[c] = load_channel(t, p + c * bytes, c);
    return result;
}

// ---- From coordinates to texels

/// The texel that index i stands for, or -1 for the border.
CUSET_HOST_UNSEEN inline long long addressed(long long i, long long n,
                                             cudaTextureAddressMode mode) {
    if (i >= 0 && i < n) return i;
    switch (mode) {
        case cudaAddressModeClamp: return i < 0 ? 0 : n - 1;
        case cudaAddressModeBorder: return -1;
        case cudaAddressModeWrap: return (i % n + n) % n;
        default: {
            const long long m = (i % (2 * n) + 2 * n) % (2 * n);
            return m < n ? m : 2 * n - 1 - m;
        }
    }
}

/// The coordinate in texels, in a range that an integer holds; NaN becomes its lower end.
CUSET_HOST_UNSEEN inline double in_texels(const texture& t, int axis, float x) {
    const double u = t.normalized_coordinates
                         ? static_cast<double>(x) * static_cast<double>(t.extent[axis])
                         : static_cast<double>(x);
    constexpr double far = 1e12;
    return u > -far ? (u < far ? u : far) : -far;
}

CUSET_HOST_UNSEEN inline long long nearest(const texture& t, int axis, float x) {
    // The common case, in the innermost loop of programs.
    if (!t.normalized_coordinates && t.address[axis] == cudaAddressModeClamp) {
        const long long last = t.extent[axis] - 1;
        if (!(x > 0.0f)) return 0;
        return x < static_cast<float>(last) ? static_cast<long long>(x) : last;
    }
    return addressed(static_cast<long long>(std::floor(in_texels(t, axis, x))), t.extent[axis],
                     t.address[axis]);
}

struct neighbours {
    long long at[2];
    float weight;  ///< of the second: a multiple of 1/256
};
CUSET_HOST_UNSEEN inline neighbours around(const texture& t, int axis, float x) {
    // Nine bits with eight of fraction, rounded to the nearest: 1 carries to the next texel.
    const auto fixed =
        static_cast<long long>(std::floor((in_texels(t, axis, x) - 0.5) * 256.0 + 0.5));
    const long long i = fixed >> 8;
    return {{addressed(i, t.extent[axis], t.address[axis]),
             addressed(i + 1, t.extent[axis], t.address[axis])},
            static_cast<float>(fixed & 255) / 256.0f};
}

CUSET_HOST_UNSEEN texel blended(const texture& t, int axes, float x, float y, float z,
                                long long layer) {
    const neighbours on_x = around(t, 0, x);
    const neighbours on_y = axes > 1 ? around(t, 1, y) : neighbours{{0, 0}, 0.0f};
    const neighbours on_z = axes > 2 ? around(t, 2, z) : neighbours{{layer, layer}, 0.0f};
    float sum[4] = {};
    for (int c = 0; c < 1 << axes; ++c) {
        const int i = c & 1, j = c >> 1 & 1, k = c >> 2;
        const float weight = (i != 0 ? on_x.weight : 1.0f - on_x.weight) *
                             (j != 0 ? on_y.weight : 1.0f - on_y.weight) *
                             (k != 0 ? on_z.weight : 1.0f - on_z.weight);
        if (weight == 0.0f) continue;  // what does not count is not read: it may be NaN
        const texel one = load(t, on_x.at[i], on_y.at[j], on_z.at[k]);
        for (int channel = 0; channel < 4; ++channel)
            sum[channel] += weight * same_bits<float>(one.bits[channel]);
    }
    texel result;
    for (int channel = 0; channel < 4; ++channel)
        result.bits[channel] = same_bits<unsigned>(sum[channel]);
    return result;
}

}  // namespace

CUSET_HOST_UNSEEN texel fetch_texture(cudaTextureObject_t handle, texture_shape shape, float x,
                                      float y, float z, int layer) {
    const texture& t = object_of<texture>(handle);
    if (t.shape != shape) misused(t.shape, shape, false);
    int axes = 1;
    long long in_layer = 0;
    if (shape == texture_shape::two || shape == texture_shape::layers_of_two) axes = 2;
    if (shape == texture_shape::three) axes = 3;
    if (shape >= texture_shape::layers_of_one)
        in_layer = layer < 0 ? 0 : layer < t.extent[2] ? layer : t.extent[2] - 1;
    if (t.linear_filter) return blended(t, axes, x, y, z, in_layer);
    return load(t, nearest(t, 0, x), axes > 1 ? nearest(t, 1, y) : 0,
                axes > 2 ? nearest(t, 2, z) : in_layer);
}

CUSET_HOST_UNSEEN texel fetch_linear_texture(cudaTextureObject_t handle, int x) {
    const texture& t = object_of<texture>(handle);
    if (t.shape != texture_shape::linear) misused(t.shape, texture_shape::linear, false);
    if (x < 0 || x >= t.extent[0]) return texel{};
    return load(t, x, 0, 0);
}

CUSET_HOST_UNSEEN texel gather_texture(cudaTextureObject_t handle, float x, float y,
                                       int component) {
    const texture& t = object_of<texture>(handle);
    if (t.shape != texture_shape::two) misused(t.shape, texture_shape::two, false);
    const neighbours on_x = around(t, 0, x), on_y = around(t, 1, y);
    const int c = component & 3;
    // From the lower left around: (0,1), (1,1), (1,0), (0,0).
    return {{load(t, on_x.at[0], on_y.at[1], 0).bits[c], load(t, on_x.at[1], on_y.at[1], 0).bits[c],
             load(t, on_x.at[1], on_y.at[0], 0).bits[c],
             load(t, on_x.at[0], on_y.at[0], 0).bits[c]}};
}

CUSET_HOST_UNSEEN unsigned char* surface_bytes(cudaSurfaceObject_t handle, texture_shape shape,
                                               int x, int y, int z, unsigned bytes,
                                               cudaSurfaceBoundaryMode mode) {
    const surface& s = object_of<surface>(handle);
    if (s.shape != shape) misused(s.shape, shape, true);
    long long at_x = x, at_y = y, at_z = z;
    const long long last = s.row_length - static_cast<long long>(bytes);
    if (at_x < 0 || at_x > last || at_y < 0 || at_y >= s.rows || at_z < 0 || at_z >= s.slices) {
        if (mode == cudaBoundaryModeZero) return nullptr;
        if (mode == cudaBoundaryModeTrap)
            fail("out_of_bounds", "a kernel accesses " + std::to_string(bytes) + " bytes at byte " +
                                      std::to_string(x) + ", row " + std::to_string(y) +
                                      ", slice " + std::to_string(z) + " of a surface of " +
                                      std::to_string(s.row_length) + " bytes by " +
                                      std::to_string(s.rows) + " rows by " +
                                      std::to_string(s.slices));
        const auto clamped = [](long long v, long long end) {
            return v < 0 ? 0 : v > end ? end : v;
        };
        at_x = clamped(at_x, last);
        at_y = clamped(at_y, s.rows - 1);
        at_z = clamped(at_z, s.slices - 1);
    }
    return s.data + static_cast<size_t>(at_z) * s.slice_bytes +
           static_cast<size_t>(at_y) * s.row_bytes + static_cast<size_t>(at_x);
}

CUSET_HOST_UNSEEN void copy_from_surface(void* to, const unsigned char* from, unsigned bytes) {
    __builtin_memcpy(to, from, bytes);
}
CUSET_HOST_UNSEEN void copy_to_surface(unsigned char* to, const void* from, unsigned bytes) {
    __builtin_memcpy(to, from, bytes);
}

void drop_objects_of(cudaArray_const_t array) {
    const std::lock_guard<std::mutex> lock(objects_mutex);
    for (texture* t : textures())
        if (t->resource.resType == cudaResourceTypeArray && t->resource.res.array.array == array)
            t->shape = texture_shape::none;
    for (surface* s : surfaces())
        if (s->resource.res.array.array == array) s->shape = texture_shape::none;
}

// ---- Objects

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

cudaError_t take_resource(texture& t, const cudaResourceDesc& resource,
                          cudaChannelFormatKind& kind) {
    switch (resource.resType) {
        case cudaResourceTypeArray: {
            const cudaArray* array = resource.res.array.array;
            if (array == nullptr) return cudaErrorInvalidResourceHandle;
            t.shape = array->shape;
            t.format = array->format;
            t.channels = array->channels;
            t.texel_bytes = array->texel_bytes;
            t.data = array->data;
            t.row_bytes = array->row_bytes;
            t.slice_bytes = array->slice_bytes();
            t.extent[0] = static_cast<long long>(array->extent.width);
            t.extent[1] = static_cast<long long>(array->rows);
            t.extent[2] = static_cast<long long>(array->slices);
            kind = array->description.f;
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
    if (t.linear_filter && !t.is_float) return cudaErrorInvalidFilterSetting;
    for (int i = 0; i < 3; ++i) {
        t.address[i] = d.addressMode[i];
        if (t.address[i] < cudaAddressModeWrap || t.address[i] > cudaAddressModeBorder)
            return cudaErrorInvalidValue;
        // Unnormalized coordinates cannot wrap: the mode becomes clamp.
        if (!t.normalized_coordinates && t.address[i] != cudaAddressModeBorder)
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
        if (resource->resType != cudaResourceTypeArray) return cudaErrorInvalidValue;
        fail("unsupported", "a texture object with a cudaResourceViewDesc");
    }
    texture t;
    cudaChannelFormatKind kind = cudaChannelFormatKindNone;
    if (const cudaError_t error = take_resource(t, *resource, kind)) return error;
    if (const cudaError_t error = take_description(t, *description, kind)) return error;
    t.resource = *resource;
    t.description = *description;
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
    if ((array->flags & cudaArraySurfaceLoadStore) == 0) return cudaErrorInvalidValue;
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
    return set_error(
        with_live(surfaces(), handle, &handle, [](surface& s) { s.shape = texture_shape::none; }));
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaSurfaceObject_t handle) {
    return set_error(
        with_live(surfaces(), handle, resource, [&](const surface& s) { *resource = s.resource; }));
}

}  // extern "C"
