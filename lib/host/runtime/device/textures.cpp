// Fetching from textures, and the places of surfaces.
#include <cuset_host/faults.h>
#include <cuset_host/threads/execution.h>

#include <cmath>
#include <cstring>
#include <string>

#include "costs/costs.h"
#include "texture_objects.h"

// Fetching is as in the CUDA C++ Programming Guide, appendix "Texture Fetching".

namespace cuset_host {
namespace {

// A fetch runs in a kernel, where the sanitizer would take descriptors and arrays for host memory:
// hence CUSET_HOST_UNSEEN.

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
                                        "layers of two dimensions",
                                        "six faces",
                                        "layers of six faces"};
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

/// The face that a direction meets, and where: x and y from 0 to 1.
struct cube_place {
    int face;
    float x, y;
};
CUSET_HOST_UNSEEN cube_place place_on_cube(float x, float y, float z) {
    const float along_x = fabsf(x), along_y = fabsf(y), along_z = fabsf(z);
    float m, s, t;
    int face;
    if (along_x >= along_y && along_x >= along_z) {
        face = x < 0 ? 1 : 0, m = along_x, s = x < 0 ? z : -z, t = -y;
    } else if (along_y >= along_z) {
        face = y < 0 ? 3 : 2, m = along_y, s = x, t = y < 0 ? -z : z;
    } else {
        face = z < 0 ? 5 : 4, m = along_z, s = z < 0 ? -x : x, t = -y;
    }
    return {face, (s / m + 1) / 2, (t / m + 1) / 2};
}

CUSET_HOST_UNSEEN texel fetch_in(const texture& t, texture_shape shape, float x, float y, float z,
                                 int layer) {
    int axes = 1;
    long long in_layer = 0, layers = t.extent[2];
    const bool is_cube = shape == texture_shape::cube || shape == texture_shape::layers_of_cubes;
    if (shape == texture_shape::two || shape == texture_shape::layers_of_two || is_cube) axes = 2;
    if (shape == texture_shape::three) axes = 3;
    if (is_cube) layers /= 6;
    if (shape >= texture_shape::layers_of_one)
        in_layer = layer < 0 ? 0 : layer < layers ? layer : layers - 1;
    if (is_cube) {
        const cube_place place = place_on_cube(x, y, z);
        x = place.x, y = place.y;
        in_layer = in_layer * 6 + place.face;
    }
    if (t.linear_filter) return blended(t, axes, x, y, z, in_layer);
    return load(t, nearest(t, 0, x), axes > 1 ? nearest(t, 1, y) : 0,
                axes > 2 ? nearest(t, 2, z) : in_layer);
}

CUSET_HOST_UNSEEN inline const texture& level_of(const texture& t, int level) {
    return level == 0 ? t : t.more_levels[level - 1];
}

}  // namespace

CUSET_HOST_UNSEEN texel fetch_texture(cudaTextureObject_t handle, texture_shape shape, float x,
                                      float y, float z, int layer) {
    const texture& t = object_of<texture>(handle);
    costs::leave_out("textures");
    if (t.shape != shape) misused(t.shape, shape, false);
    if (t.last_level > 0) return fetch_texture_level(handle, shape, x, y, z, layer, 0);
    return fetch_in(t, shape, x, y, z, layer);
}

CUSET_HOST_UNSEEN texel fetch_texture_level(cudaTextureObject_t handle, texture_shape shape,
                                            float x, float y, float z, int layer, float level) {
    const texture& t = object_of<texture>(handle);
    costs::leave_out("textures");
    if (t.shape != shape) misused(t.shape, shape, false);
    if (t.last_level == 0) return fetch_in(t, shape, x, y, z, layer);
    const cudaTextureDesc& d = t.description;
    const auto last = static_cast<float>(t.last_level);
    level += d.mipmapLevelBias;
    if (!(level > d.minMipmapLevelClamp)) level = d.minMipmapLevelClamp;
    if (level > d.maxMipmapLevelClamp) level = d.maxMipmapLevelClamp;
    level = level < 0 ? 0 : level > last ? last : level;
    // Eight bits of fraction, as for the weights of texels.
    const float fixed = std::floor(level * 256.0f + 0.5f) / 256.0f;
    if (d.mipmapFilterMode == cudaFilterModePoint) {
        const int nearest_level = static_cast<int>(std::ceil(fixed + 0.5f)) - 1;
        return fetch_in(level_of(t, nearest_level), shape, x, y, z, layer);
    }
    const int first = static_cast<int>(fixed);
    const float weight = fixed - static_cast<float>(first);
    texel result = fetch_in(level_of(t, first), shape, x, y, z, layer);
    if (weight == 0.0f) return result;
    const texel next = fetch_in(level_of(t, first + 1), shape, x, y, z, layer);
    for (int i = 0; i < 4; ++i)
        result.bits[i] = same_bits<unsigned>((1.0f - weight) * same_bits<float>(result.bits[i]) +
                                             weight * same_bits<float>(next.bits[i]));
    return result;
}

CUSET_HOST_UNSEEN float level_of_gradients(cudaTextureObject_t handle, float4 by_x, float4 by_y) {
    const texture& t = object_of<texture>(handle);
    float longest = 0;
    for (const float4* d : {&by_x, &by_y}) {
        const float x = d->x * static_cast<float>(t.extent[0]);
        const float y = d->y * static_cast<float>(t.extent[1]);
        const float z = d->z * static_cast<float>(t.extent[2]);
        const float length = std::sqrt(x * x + y * y + z * z);
        longest = length > longest ? length : longest;
    }
    return std::log2(longest);  // of none, below all levels
}

CUSET_HOST_UNSEEN texel fetch_linear_texture(cudaTextureObject_t handle, int x) {
    costs::leave_out("textures");
    const texture& t = object_of<texture>(handle);
    if (t.shape != texture_shape::linear) misused(t.shape, texture_shape::linear, false);
    if (x < 0 || x >= t.extent[0]) return texel{};
    return load(t, x, 0, 0);
}

CUSET_HOST_UNSEEN texel gather_texture(cudaTextureObject_t handle, float x, float y,
                                       int component) {
    const texture& t = object_of<texture>(handle);
    costs::leave_out("textures");
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
    costs::leave_out("surfaces");
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
        at_x = clamped(at_x, last - last % bytes);
        at_y = clamped(at_y, s.rows - 1);
        at_z = clamped(at_z, s.slices - 1);
    }
    // A GPU faults, or drops the lower bits of the place.
    if (x % static_cast<int>(bytes) != 0)
        fail("illegal_address", "a kernel accesses " + std::to_string(bytes) + " bytes at byte " +
                                    std::to_string(x) +
                                    " of a surface's row: x counts bytes, and has to be a multiple");
    return s.data + static_cast<size_t>(at_z) * s.slice_bytes +
           static_cast<size_t>(at_y) * s.row_bytes + static_cast<size_t>(at_x);
}

CUSET_HOST_UNSEEN void copy_from_surface(void* to, const unsigned char* from, unsigned bytes) {
    __builtin_memcpy(to, from, bytes);
}
CUSET_HOST_UNSEEN void copy_to_surface(unsigned char* to, const void* from, unsigned bytes) {
    __builtin_memcpy(to, from, bytes);
}

}  // namespace cuset_host
