// Texture and surface objects on the device side: tex1D … surf3Dwrite. A handle is the address of a
// descriptor (device/texture_objects.h). Descriptors are never freed, so that destroyed ones are
// recognised.
//
// A texture without mipmaps has level 0 only: the Lod and Grad forms fetch from it. Sparse
// residency is not modelled, and does not compile or link.
#pragma once

#include <cuset_host/math/bits.h>

namespace cuset_host {

/// The result of the texture unit: four registers, floating point or integer by the texture's
/// format.
struct texel {
    unsigned bits[4];
};

enum class texture_shape : int {
    none,
    linear,
    one,
    two,
    three,
    layers_of_one,
    layers_of_two,
    cube,
    layers_of_cubes
};

/// Fetches from a texture, which must have this shape; coordinates and layers that it lacks are 0.
/// Those of a cube are a direction.
texel fetch_texture(cudaTextureObject_t texture, texture_shape shape, float x, float y, float z,
                    int layer);
/// The same of a level of mipmaps, or between two.
texel fetch_texture_level(cudaTextureObject_t texture, texture_shape shape, float x, float y,
                          float z, int layer, float level);
/// The level whose texels are as far apart as two fetches that differ so.
float level_of_gradients(cudaTextureObject_t texture, float4 by_x, float4 by_y);
/// tex1Dfetch: of linear memory, by index; zero outside.
texel fetch_linear_texture(cudaTextureObject_t texture, int x);
/// tex2Dgather: one component of the four texels that a linear fetch would blend.
texel gather_texture(cudaTextureObject_t texture, float x, float y, int component);

/// The bytes [x, x + bytes) of row y of slice z of the surface, or null where they are outside and
/// the mode is "zero"; outside and "trap" ends the program.
unsigned char* surface_bytes(cudaSurfaceObject_t surface, texture_shape shape, int x, int y, int z,
                             unsigned bytes, cudaSurfaceBoundaryMode mode);
/// Copies that the sanitizer does not see: arrays are no memory of the program.
void copy_from_surface(void* to, const unsigned char* from, unsigned bytes);
void copy_to_surface(unsigned char* to, const void* from, unsigned bytes);

template <class C>
inline C texel_component(unsigned bits) {
    return static_cast<C>(bits);
}
template <>
inline float texel_component<float>(unsigned bits) {
    return same_bits<float>(bits);
}

/// The types that may be fetched: a scalar, or a vector of 1, 2 or 4. Only known types have a
/// member `of`.
template <class T>
struct texel_type {};
#define CUSET_HOST_TEXEL_SCALAR(type)                                               \
    template <>                                                                     \
    struct texel_type<type> {                                                       \
        static type of(const texel& t) { return texel_component<type>(t.bits[0]); } \
    };
#define CUSET_HOST_TEXEL_VECTOR(type, vector)       \
    template <>                                     \
    struct texel_type<vector##1> {                  \
        static vector##1 of(const texel& t) {       \
            vector##1 v;                            \
            v.x = texel_component<type>(t.bits[0]); \
            return v;                               \
        }                                           \
    };                                              \
    template <>                                     \
    struct texel_type<vector##2> {                  \
        static vector##2 of(const texel& t) {       \
            vector##2 v;                            \
            v.x = texel_component<type>(t.bits[0]); \
            v.y = texel_component<type>(t.bits[1]); \
            return v;                               \
        }                                           \
    };                                              \
    template <>                                     \
    struct texel_type<vector##4> {                  \
        static vector##4 of(const texel& t) {       \
            vector##4 v;                            \
            v.x = texel_component<type>(t.bits[0]); \
            v.y = texel_component<type>(t.bits[1]); \
            v.z = texel_component<type>(t.bits[2]); \
            v.w = texel_component<type>(t.bits[3]); \
            return v;                               \
        }                                           \
    };
CUSET_HOST_TEXEL_SCALAR(char)
CUSET_HOST_TEXEL_SCALAR(signed char)
CUSET_HOST_TEXEL_SCALAR(unsigned char)
CUSET_HOST_TEXEL_SCALAR(short)
CUSET_HOST_TEXEL_SCALAR(unsigned short)
CUSET_HOST_TEXEL_SCALAR(int)
CUSET_HOST_TEXEL_SCALAR(unsigned)
CUSET_HOST_TEXEL_SCALAR(float)
CUSET_HOST_TEXEL_VECTOR(signed char, char)
CUSET_HOST_TEXEL_VECTOR(unsigned char, uchar)
CUSET_HOST_TEXEL_VECTOR(short, short)
CUSET_HOST_TEXEL_VECTOR(unsigned short, ushort)
CUSET_HOST_TEXEL_VECTOR(int, int)
CUSET_HOST_TEXEL_VECTOR(unsigned, uint)
CUSET_HOST_TEXEL_VECTOR(float, float)
#undef CUSET_HOST_TEXEL_SCALAR
#undef CUSET_HOST_TEXEL_VECTOR

}  // namespace cuset_host

// Each function in its two forms: the value returned, and the value stored through a pointer.
#define CUSET_HOST_UNPACK(...) __VA_ARGS__
#define CUSET_HOST_FETCH(name, parameters, fetch)                                            \
    template <class T>                                                                       \
    inline decltype(cuset_host::texel_type<T>::of({})) name(cudaTextureObject_t texture,     \
                                                            CUSET_HOST_UNPACK parameters) {  \
        return cuset_host::texel_type<T>::of(cuset_host::fetch);                             \
    }                                                                                        \
    template <class T>                                                                       \
    inline void name(T* result, cudaTextureObject_t texture, CUSET_HOST_UNPACK parameters) { \
        *result = cuset_host::texel_type<T>::of(cuset_host::fetch);                          \
    }
#define CUSET_HOST_FETCH_OF(shape, x, y, z, layer) \
    fetch_texture(texture, cuset_host::texture_shape::shape, x, y, z, layer)

CUSET_HOST_FETCH(tex1Dfetch, (int x), fetch_linear_texture(texture, x))
CUSET_HOST_FETCH(tex1D, (float x), CUSET_HOST_FETCH_OF(one, x, 0, 0, 0))
CUSET_HOST_FETCH(tex2D, (float x, float y), CUSET_HOST_FETCH_OF(two, x, y, 0, 0))
CUSET_HOST_FETCH(tex3D, (float x, float y, float z), CUSET_HOST_FETCH_OF(three, x, y, z, 0))
CUSET_HOST_FETCH(tex1DLayered, (float x, int layer),
                 CUSET_HOST_FETCH_OF(layers_of_one, x, 0, 0, layer))
CUSET_HOST_FETCH(tex2DLayered, (float x, float y, int layer),
                 CUSET_HOST_FETCH_OF(layers_of_two, x, y, 0, layer))
CUSET_HOST_FETCH(texCubemap, (float x, float y, float z), CUSET_HOST_FETCH_OF(cube, x, y, z, 0))
CUSET_HOST_FETCH(texCubemapLayered, (float x, float y, float z, int layer),
                 CUSET_HOST_FETCH_OF(layers_of_cubes, x, y, z, layer))
#define CUSET_HOST_FETCH_LEVEL(shape, x, y, z, layer, level) \
    fetch_texture_level(texture, cuset_host::texture_shape::shape, x, y, z, layer, level)
CUSET_HOST_FETCH(tex1DLod, (float x, float level), CUSET_HOST_FETCH_LEVEL(one, x, 0, 0, 0, level))
CUSET_HOST_FETCH(tex2DLod, (float x, float y, float level),
                 CUSET_HOST_FETCH_LEVEL(two, x, y, 0, 0, level))
CUSET_HOST_FETCH(tex3DLod, (float x, float y, float z, float level),
                 CUSET_HOST_FETCH_LEVEL(three, x, y, z, 0, level))
CUSET_HOST_FETCH(tex1DLayeredLod, (float x, int layer, float level),
                 CUSET_HOST_FETCH_LEVEL(layers_of_one, x, 0, 0, layer, level))
CUSET_HOST_FETCH(tex2DLayeredLod, (float x, float y, int layer, float level),
                 CUSET_HOST_FETCH_LEVEL(layers_of_two, x, y, 0, layer, level))
CUSET_HOST_FETCH(texCubemapLod, (float x, float y, float z, float level),
                 CUSET_HOST_FETCH_LEVEL(cube, x, y, z, 0, level))
CUSET_HOST_FETCH(texCubemapLayeredLod, (float x, float y, float z, int layer, float level),
                 CUSET_HOST_FETCH_LEVEL(layers_of_cubes, x, y, z, layer, level))
#define CUSET_HOST_LEVEL_OF(by_x, by_y) cuset_host::level_of_gradients(texture, by_x, by_y)
CUSET_HOST_FETCH(tex1DGrad, (float x, float dx, float dy),
                 CUSET_HOST_FETCH_LEVEL(one, x, 0, 0, 0,
                                        CUSET_HOST_LEVEL_OF((float4{dx, 0, 0, 0}),
                                                            (float4{dy, 0, 0, 0}))))
CUSET_HOST_FETCH(tex2DGrad, (float x, float y, float2 dx, float2 dy),
                 CUSET_HOST_FETCH_LEVEL(two, x, y, 0, 0,
                                        CUSET_HOST_LEVEL_OF((float4{dx.x, dx.y, 0, 0}),
                                                            (float4{dy.x, dy.y, 0, 0}))))
CUSET_HOST_FETCH(tex3DGrad, (float x, float y, float z, float4 dx, float4 dy),
                 CUSET_HOST_FETCH_LEVEL(three, x, y, z, 0, CUSET_HOST_LEVEL_OF(dx, dy)))
#undef CUSET_HOST_LEVEL_OF
#undef CUSET_HOST_FETCH_LEVEL
CUSET_HOST_FETCH(tex2Dgather, (float x, float y, int component = 0),
                 gather_texture(texture, x, y, component))
#undef CUSET_HOST_FETCH
#undef CUSET_HOST_FETCH_OF

// Surfaces: x counts bytes.
#define CUSET_HOST_SURFACE(name, parameters, shape, x, y, z)                                     \
    template <class T>                                                                           \
    inline T name##read(cudaSurfaceObject_t surface, CUSET_HOST_UNPACK parameters,               \
                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                   \
        T result{};                                                                              \
        if (const unsigned char* from = cuset_host::surface_bytes(                               \
                surface, cuset_host::texture_shape::shape, x, y, z, sizeof(T), mode))            \
            cuset_host::copy_from_surface(&result, from, sizeof(T));                             \
        return result;                                                                           \
    }                                                                                            \
    template <class T>                                                                           \
    inline void name##read(T* result, cudaSurfaceObject_t surface, CUSET_HOST_UNPACK parameters, \
                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                \
        *result = name##read<T>(surface, CUSET_HOST_COORDINATES_##shape, mode);                  \
    }                                                                                            \
    template <class T>                                                                           \
    inline void name##write(T value, cudaSurfaceObject_t surface, CUSET_HOST_UNPACK parameters,  \
                            cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {               \
        if (unsigned char* to = cuset_host::surface_bytes(                                       \
                surface, cuset_host::texture_shape::shape, x, y, z, sizeof(T), mode))            \
            cuset_host::copy_to_surface(to, &value, sizeof(T));                                  \
    }
#define CUSET_HOST_COORDINATES_one x
#define CUSET_HOST_COORDINATES_two x, y
#define CUSET_HOST_COORDINATES_three x, y, z
#define CUSET_HOST_COORDINATES_layers_of_one x, layer
#define CUSET_HOST_COORDINATES_layers_of_two x, y, layer
#define CUSET_HOST_COORDINATES_cube x, y, face
#define CUSET_HOST_COORDINATES_layers_of_cubes x, y, face
CUSET_HOST_SURFACE(surf1D, (int x), one, x, 0, 0)
CUSET_HOST_SURFACE(surf2D, (int x, int y), two, x, y, 0)
CUSET_HOST_SURFACE(surf3D, (int x, int y, int z), three, x, y, z)
CUSET_HOST_SURFACE(surf1DLayered, (int x, int layer), layers_of_one, x, 0, layer)
CUSET_HOST_SURFACE(surf2DLayered, (int x, int y, int layer), layers_of_two, x, y, layer)
CUSET_HOST_SURFACE(surfCubemap, (int x, int y, int face), cube, x, y, face)
CUSET_HOST_SURFACE(surfCubemapLayered, (int x, int y, int face), layers_of_cubes, x, y, face)
#undef CUSET_HOST_SURFACE
