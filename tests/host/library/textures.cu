// Texture fetches against values worked out by hand from the CUDA C++ Programming Guide, appendix
// "Texture Fetching": point and linear filtering, every address mode, one to three dimensions,
// layers, formats, linear and pitched memory.
#include "check.h"

#define CHECK(value, expected) out[i++] = {(float)(value), (float)(expected), 1e-6, __LINE__};

struct one_dimension {
    // The texels are 10, 20, 40, 80; u: unnormalised coordinates, n: normalised.
    cudaTextureObject_t u_point_clamp, u_point_border, u_linear_clamp, u_linear_border;
    cudaTextureObject_t n_point_clamp, n_point_border, n_point_wrap, n_point_mirror;
    cudaTextureObject_t n_linear_clamp, n_linear_wrap, n_linear_mirror, u_point_wrap;
};
struct others {
    cudaTextureObject_t plane_point, plane_linear, plane_border;  // 1 + i + 10 j, 4 by 3
    cudaTextureObject_t pitched_linear;                           // the same
    cudaTextureObject_t space_point, space_linear;                // 1 + i + 2 j + 4 k, 2 by 2 by 2
    cudaTextureObject_t lines, planes;                            // 100 layer + 10 j + i
    cudaTextureObject_t bytes, srgb, signed_bytes, words, signed_words, two_bytes;
    cudaTextureObject_t raw_bytes, integers, halves, memory;
};

__global__ void fetch_one(one_dimension t, computed<float>* out, int* n) {
    int i = 0;
    CHECK(tex1D<float>(t.u_point_clamp, -1.0f), 10)
    CHECK(tex1D<float>(t.u_point_clamp, 0.0f), 10)
    CHECK(tex1D<float>(t.u_point_clamp, 0.99f), 10)
    CHECK(tex1D<float>(t.u_point_clamp, 1.0f), 20)
    CHECK(tex1D<float>(t.u_point_clamp, 3.99f), 80)
    CHECK(tex1D<float>(t.u_point_clamp, 4.0f), 80)
    CHECK(tex1D<float>(t.u_point_clamp, 900.0f), 80)
    CHECK(tex1D<float>(t.u_point_border, -0.01f), 0)
    CHECK(tex1D<float>(t.u_point_border, 0.0f), 10)
    CHECK(tex1D<float>(t.u_point_border, 3.5f), 80)
    CHECK(tex1D<float>(t.u_point_border, 4.0f), 0)
    CHECK(tex1D<float>(t.u_point_wrap, 5.0f), 80)  // cannot wrap: clamps
    CHECK(tex1D<float>(t.u_linear_clamp, 0.5f), 10)
    CHECK(tex1D<float>(t.u_linear_clamp, 0.25f), 10)
    CHECK(tex1D<float>(t.u_linear_clamp, 1.0f), 15)
    CHECK(tex1D<float>(t.u_linear_clamp, 1.25f), 17.5)
    CHECK(tex1D<float>(t.u_linear_clamp, 2.0f), 30)
    CHECK(tex1D<float>(t.u_linear_clamp, 2.0009765625f), 30)  // 1/1024 is below the weight's 1/256
    CHECK(tex1D<float>(t.u_linear_clamp, 3.0f), 60)
    CHECK(tex1D<float>(t.u_linear_clamp, 3.5f), 80)
    CHECK(tex1D<float>(t.u_linear_clamp, 3.75f), 80)
    CHECK(tex1D<float>(t.u_linear_border, 0.0f), 5)
    CHECK(tex1D<float>(t.u_linear_border, -0.5f), 0)
    CHECK(tex1D<float>(t.u_linear_border, 4.0f), 40)
    CHECK(tex1D<float>(t.u_linear_border, 4.5f), 0)
    CHECK(tex1D<float>(t.n_point_clamp, -0.5f), 10)
    CHECK(tex1D<float>(t.n_point_clamp, 0.3f), 20)
    CHECK(tex1D<float>(t.n_point_clamp, 1.5f), 80)
    CHECK(tex1D<float>(t.n_point_border, 1.01f), 0)
    CHECK(tex1D<float>(t.n_point_border, 0.99f), 80)
    CHECK(tex1D<float>(t.n_point_border, -0.01f), 0)
    CHECK(tex1D<float>(t.n_point_wrap, 1.25f), 20)
    CHECK(tex1D<float>(t.n_point_wrap, -0.125f), 80)
    CHECK(tex1D<float>(t.n_point_wrap, 2.0f), 10)
    CHECK(tex1D<float>(t.n_point_wrap, -2.375f), 40)
    CHECK(tex1D<float>(t.n_point_mirror, 1.125f), 80)
    CHECK(tex1D<float>(t.n_point_mirror, -0.125f), 10)
    CHECK(tex1D<float>(t.n_point_mirror, 1.625f), 20)
    CHECK(tex1D<float>(t.n_point_mirror, 2.375f), 20)
    CHECK(tex1D<float>(t.n_linear_clamp, 0.5f), 30)
    CHECK(tex1D<float>(t.n_linear_wrap, 0.0f), 45)
    CHECK(tex1D<float>(t.n_linear_wrap, 1.0f), 45)
    CHECK(tex1D<float>(t.n_linear_wrap, 0.125f), 10)
    CHECK(tex1D<float>(t.n_linear_wrap, 1.5f), 30)
    CHECK(tex1D<float>(t.n_linear_mirror, 0.0f), 10)
    CHECK(tex1D<float>(t.n_linear_mirror, 1.0f), 80)
    CHECK(tex1D<float>(t.n_linear_mirror, 1.25f), 60)
    CHECK(tex1D<float>(t.n_linear_mirror, -0.25f), 15)
    *n = i;
}

__global__ void fetch_others(others t, computed<float>* out, int* n) {
    int i = 0;
    CHECK(tex2D<float>(t.plane_point, 2.9f, 1.1f), 13)
    CHECK(tex2D<float>(t.plane_point, -4.0f, 7.0f), 21)
    CHECK(tex2D<float>(t.plane_linear, 1.0f, 1.0f), 6.5)
    CHECK(tex2D<float>(t.plane_linear, 2.25f, 1.75f), 15.25)
    CHECK(tex2D<float>(t.plane_linear, 0.0f, 0.0f), 1)
    CHECK(tex2DLod<float>(t.plane_linear, 2.25f, 1.75f, 0.0f), 15.25)
    CHECK(tex2D<float>(t.plane_border, 0.0f, 0.0f), 0.25)
    CHECK(tex2D<float>(t.plane_border, 4.0f, 1.5f), 7)
    CHECK(tex2D<float>(t.pitched_linear, 2.25f, 1.75f), 15.25)
    CHECK(tex2D<float>(t.pitched_linear, 3.5f, 2.5f), 24)
    CHECK(tex3D<float>(t.space_point, 1.5f, 0.5f, 1.5f), 6)
    CHECK(tex3D<float>(t.space_linear, 1.0f, 1.0f, 1.0f), 4.5)
    CHECK(tex3D<float>(t.space_linear, 0.75f, 0.5f, 1.5f), 5.25)
    CHECK(tex1DLayered<float>(t.lines, 2.5f, 1), 102)
    CHECK(tex1DLayered<float>(t.lines, 3.5f, 2), 203)
    CHECK(tex2DLayered<float>(t.planes, 1.5f, 2.5f, 1), 121)
    CHECK(tex2DLayered<float>(t.planes, 0.5f, 0.5f, 0), 0)

    const float4 colour = tex2D<float4>(t.bytes, 0.5f, 0.5f);  // 255, 0, 51, 128
    CHECK(colour.x, 1)
    CHECK(colour.y, 0)
    CHECK(colour.z, 0.2)
    CHECK(colour.w, 128.0 / 255.0)
    const uchar4 raw = tex2D<uchar4>(t.raw_bytes, 0.5f, 0.5f);
    CHECK(raw.x, 255)
    CHECK(raw.y, 0)
    CHECK(raw.z, 51)
    CHECK(raw.w, 128)
    // sRGB: ((51/255 + 0.055) / 1.055)^2.4; alpha stays as it is.
    const float4 linear = tex2D<float4>(t.srgb, 0.5f, 0.5f);
    CHECK(fabsf(linear.x - 1) < 0.004f, 1)
    CHECK(fabsf(linear.z - 0.0331f) < 0.004f, 1)
    CHECK(linear.w, 128.0 / 255.0)
    CHECK(tex1D<float>(t.signed_bytes, 0.5f), -1)  // -128
    CHECK(tex1D<float>(t.signed_bytes, 1.5f), -1)  // -127
    CHECK(tex1D<float>(t.signed_bytes, 2.5f), 1)   // 127
    CHECK(tex1D<float>(t.words, 0.5f), 1)
    CHECK(tex1D<float>(t.words, 1.5f), 13107.0 / 65535.0)
    CHECK(tex1D<float>(t.signed_words, 0.5f), -1)
    CHECK(tex1D<float>(t.signed_words, 1.5f), 1)
    CHECK(tex1D<float>(t.two_bytes, 1.0f), 0.5)  // between 0 and 255
    const int4 whole = tex1D<int4>(t.integers, 1.5f);
    CHECK(whole.x, -5)
    CHECK(whole.y, 6)
    CHECK(whole.z, -7)
    CHECK(whole.w, 8)
    const float2 half = tex1D<float2>(t.halves, 0.5f);
    CHECK(half.x, 1.5)
    CHECK(half.y, -0.00006103515625)  // the least normal half
    CHECK(tex1Dfetch<float>(t.memory, 0), 10)
    CHECK(tex1Dfetch<float>(t.memory, 3), 80)
    float through_pointer;
    tex1Dfetch(&through_pointer, t.memory, 2);
    CHECK(through_pointer, 40)
    tex2D(&through_pointer, t.plane_point, 1.5f, 0.5f);
    CHECK(through_pointer, 2)
    CHECK(tex1Dfetch<float>(t.memory, -1), 0)
    CHECK(tex1Dfetch<float>(t.memory, 4), 0)
    *n = i;
}

static cudaTextureObject_t texture(cudaResourceDesc resource, cudaTextureAddressMode mode,
                                   cudaTextureFilterMode filter, bool normalized_coordinates,
                                   bool normalized_float = false, bool srgb = false) {
    cudaTextureDesc description;
    memset(&description, 0, sizeof(description));
    for (int i = 0; i < 3; ++i) description.addressMode[i] = mode;
    description.filterMode = filter;
    description.readMode = normalized_float ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    description.normalizedCoords = normalized_coordinates;
    description.sRGB = srgb;
    cudaTextureObject_t object = 0;
    OK(cudaCreateTextureObject(&object, &resource, &description, nullptr));
    return object;
}

static cudaResourceDesc of_array(cudaArray_t array) {
    cudaResourceDesc resource;
    memset(&resource, 0, sizeof(resource));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

/// An array of those texels; a dimension of 0 is none.
template <class T>
static cudaResourceDesc array_of(const T* texels, size_t width, size_t height, size_t depth,
                                 unsigned flags = 0,
                                 cudaChannelFormatDesc format = cudaCreateChannelDesc<T>()) {
    cudaArray_t array = nullptr;
    const cudaExtent extent = make_cudaExtent(width, height, depth);
    OK(cudaMalloc3DArray(&array, &format, extent, flags));
    const size_t rows = height ? height : 1;
    cudaMemcpy3DParms copy;
    memset(&copy, 0, sizeof(copy));
    copy.srcPtr = make_cudaPitchedPtr((void*)texels, width * sizeof(T), width, rows);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(width, rows, depth ? depth : 1);
    copy.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&copy));
    return of_array(array);
}

int main() {
    const float line[4] = {10, 20, 40, 80};
    const cudaResourceDesc on_line = array_of(line, 4, 0, 0);
    const auto point = cudaFilterModePoint, linear = cudaFilterModeLinear;
    const auto clamp = cudaAddressModeClamp, border = cudaAddressModeBorder;
    const auto wrap = cudaAddressModeWrap, mirror = cudaAddressModeMirror;
    one_dimension a;
    a.u_point_clamp = texture(on_line, clamp, point, false);
    a.u_point_border = texture(on_line, border, point, false);
    a.u_point_wrap = texture(on_line, wrap, point, false);
    a.u_linear_clamp = texture(on_line, clamp, linear, false);
    a.u_linear_border = texture(on_line, border, linear, false);
    a.n_point_clamp = texture(on_line, clamp, point, true);
    a.n_point_border = texture(on_line, border, point, true);
    a.n_point_wrap = texture(on_line, wrap, point, true);
    a.n_point_mirror = texture(on_line, mirror, point, true);
    a.n_linear_clamp = texture(on_line, clamp, linear, true);
    a.n_linear_wrap = texture(on_line, wrap, linear, true);
    a.n_linear_mirror = texture(on_line, mirror, linear, true);
    check_computed<float>(200, [&](auto* out, int* n) { fetch_one<<<1, 1>>>(a, out, n); });

    float plane[12], space[8], lines[12], planes[24];
    for (int i = 0; i < 12; ++i) plane[i] = 1 + i % 4 + 10 * (i / 4);
    for (int i = 0; i < 8; ++i) space[i] = 1 + i;
    for (int i = 0; i < 12; ++i) lines[i] = 100 * (i / 4) + i % 4;
    for (int i = 0; i < 24; ++i) planes[i] = 100 * (i / 12) + 10 * (i / 4 % 3) + i % 4;
    others b;
    b.plane_point = texture(array_of(plane, 4, 3, 0), clamp, point, false);
    b.plane_linear = texture(array_of(plane, 4, 3, 0), clamp, linear, false);
    b.plane_border = texture(array_of(plane, 4, 3, 0), border, linear, false);
    b.space_point = texture(array_of(space, 2, 2, 2), clamp, point, false);
    b.space_linear = texture(array_of(space, 2, 2, 2), clamp, linear, false);
    b.lines = texture(array_of(lines, 4, 0, 3, cudaArrayLayered), clamp, point, false);
    b.planes = texture(array_of(planes, 4, 3, 2, cudaArrayLayered), clamp, point, false);
    const uchar4 colour[1] = {{255, 0, 51, 128}};
    b.bytes = texture(array_of(colour, 1, 1, 0), clamp, point, false, true);
    b.raw_bytes = texture(array_of(colour, 1, 1, 0), clamp, point, false);
    b.srgb = texture(array_of(colour, 1, 1, 0), clamp, point, false, true, true);
    const signed char signed_bytes[3] = {-128, -127, 127};
    b.signed_bytes = texture(array_of(signed_bytes, 3, 0, 0), clamp, point, false, true);
    const unsigned short words[2] = {65535, 13107};
    b.words = texture(array_of(words, 2, 0, 0), clamp, point, false, true);
    const short signed_words[2] = {-32768, 32767};
    b.signed_words = texture(array_of(signed_words, 2, 0, 0), clamp, point, false, true);
    const unsigned char two_bytes[2] = {0, 255};
    b.two_bytes = texture(array_of(two_bytes, 2, 0, 0), clamp, linear, false, true);
    const int4 integers[2] = {{1, 2, 3, 4}, {-5, 6, -7, 8}};
    b.integers = texture(array_of(integers, 2, 0, 0), clamp, point, false);
    const ushort2 halves[1] = {{0x3e00, 0x8400}};
    b.halves = texture(array_of(halves, 1, 0, 0, 0,
                                cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat)),
                       clamp, point, false);

    float *memory, *pitched;
    size_t pitch = 0;
    OK(cudaMalloc(&memory, sizeof(line)));
    OK(cudaMemcpy(memory, line, sizeof(line), cudaMemcpyHostToDevice));
    OK(cudaMallocPitch(&pitched, &pitch, 4 * sizeof(float), 3));
    OK(cudaMemcpy2D(pitched, pitch, plane, 16, 16, 3, cudaMemcpyHostToDevice));
    cudaResourceDesc resource;
    memset(&resource, 0, sizeof(resource));
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = sizeof(line);
    b.memory = texture(resource, clamp, point, false);
    memset(&resource, 0, sizeof(resource));
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = pitched;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = 4;
    resource.res.pitch2D.height = 3;
    resource.res.pitch2D.pitchInBytes = pitch;
    b.pitched_linear = texture(resource, clamp, linear, false);
    check_computed<float>(200, [&](auto* out, int* n) { fetch_others<<<1, 1>>>(b, out, n); });

    OK(cudaDestroyTextureObject(b.memory));
    OK(cudaFreeArray(on_line.res.array.array));
    OK(cudaFree(memory));
    OK(cudaFree(pitched));
    return verdict();
}
