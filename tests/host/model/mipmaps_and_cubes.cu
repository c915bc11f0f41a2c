// Mipmaps: extents of levels, surfaces of each, fetches by level, bias and limits of levels, and
// gradients. Cubemaps: fetches by direction, layers, surfaces of faces, and filters within a face.
#include "check.h"

__global__ void fill(cudaSurfaceObject_t surface, int width, int height, float base) {
    const int x = threadIdx.x, y = threadIdx.y;
    if (x < width && y < height)
        surf2Dwrite(base + static_cast<float>(y * width + x), surface, x * 4, y);
}
__global__ void by_level(cudaTextureObject_t t, float x, float y, float level, float* out) {
    out[0] = tex2DLod<float>(t, x, y, level);
    out[1] = tex2D<float>(t, x, y);
}
__global__ void by_gradient(cudaTextureObject_t t, float x, float y, float step, float* out) {
    out[0] = tex2DGrad<float>(t, x, y, make_float2(step, 0), make_float2(0, step / 4));
}

static float* out;

static float at_level(cudaTextureObject_t t, float x, float y, float level) {
    by_level<<<1, 1>>>(t, x, y, level, out);
    OK(cudaDeviceSynchronize());
    return out[0];
}

static void mipmaps() {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t mipmaps;
    // 16 x 8, 8 x 4, 4 x 2, 2 x 1, 1 x 1: more levels than five there are not.
    OK(cudaMallocMipmappedArray(&mipmaps, &format, make_cudaExtent(16, 8, 0), 9,
                                cudaArraySurfaceLoadStore));
    const size_t widths[] = {16, 8, 4, 2, 1}, heights[] = {8, 4, 2, 1, 1};
    cudaSurfaceObject_t surfaces[5];
    cudaArray_t array;
    for (unsigned level = 0; level < 5; ++level) {
        OK(cudaGetMipmappedArrayLevel(&array, mipmaps, level));
        cudaExtent extent;
        OK(cudaArrayGetInfo(nullptr, &extent, nullptr, array));
        MUST(extent.width == widths[level] && extent.height == heights[level] && extent.depth == 0);
        cudaResourceDesc resource{};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        OK(cudaCreateSurfaceObject(&surfaces[level], &resource));
        fill<<<1, dim3(16, 8)>>>(surfaces[level], static_cast<int>(extent.width),
                                 static_cast<int>(extent.height), 1000.0F * level);
    }
    OK(cudaDeviceSynchronize());
    MUST(cudaGetMipmappedArrayLevel(&array, mipmaps, 5) == cudaErrorInvalidValue);

    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = mipmaps;
    cudaTextureDesc description{};
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
    description.filterMode = cudaFilterModePoint;
    description.mipmapFilterMode = cudaFilterModeLinear;
    description.normalizedCoords = 1;
    description.maxMipmapLevelClamp = 4;
    cudaTextureObject_t t;
    OK(cudaCreateTextureObject(&t, &resource, &description, nullptr));
    const float x = 0.4F, y = 0.6F;
    const auto expected = [&](int level) {
        const auto w = static_cast<float>(widths[level]), h = static_cast<float>(heights[level]);
        return 1000.0F * level + std::floor(y * h) * w + std::floor(x * w);
    };
    for (int level = 0; level < 5; ++level) MUST(at_level(t, x, y, level) == expected(level));
    MUST(out[1] == expected(0));  // tex2D is of level 0
    MUST(at_level(t, x, y, 9) == expected(4) && at_level(t, x, y, -3) == expected(0));
    MUST(at_level(t, x, y, 1.25F) == 0.75F * expected(1) + 0.25F * expected(2));
    // A step of 1/2 of the width is eight texels of level 0, and one of level 3.
    by_gradient<<<1, 1>>>(t, x, y, 0.5F, out);
    MUST(cudaDeviceSynchronize() == cudaSuccess && out[0] == expected(3));
    OK(cudaDestroyTextureObject(t));

    description.mipmapFilterMode = cudaFilterModePoint;
    description.mipmapLevelBias = 1;
    description.minMipmapLevelClamp = 2;
    description.maxMipmapLevelClamp = 3;
    OK(cudaCreateTextureObject(&t, &resource, &description, nullptr));
    MUST(at_level(t, x, y, 0) == expected(2) && at_level(t, x, y, 1.75F) == expected(3));
    MUST(at_level(t, x, y, 1.25F) == expected(2) && at_level(t, x, y, 4) == expected(3));
    OK(cudaDestroyTextureObject(t));

    description.normalizedCoords = 0;
    MUST(cudaCreateTextureObject(&t, &resource, &description, nullptr) == cudaErrorInvalidValue);
    for (const auto surface : surfaces) OK(cudaDestroySurfaceObject(surface));
    // Levels belong to their array. There is at least one.
    OK(cudaGetMipmappedArrayLevel(&array, mipmaps, 1));
    MUST(cudaFreeArray(array) == cudaErrorInvalidResourceHandle);
    OK(cudaFreeMipmappedArray(mipmaps));
    cudaMipmappedArray_t one;
    OK(cudaMallocMipmappedArray(&one, &format, make_cudaExtent(8, 8, 0), 0));
    OK(cudaGetMipmappedArrayLevel(&array, one, 0));
    MUST(cudaGetMipmappedArrayLevel(&array, one, 1) == cudaErrorInvalidValue);
    OK(cudaFreeMipmappedArray(one));
    MUST(cudaFreeMipmappedArray(mipmaps) == cudaErrorInvalidResourceHandle);
    cudaGetLastError();
}

__global__ void paint(cudaSurfaceObject_t faces, int width) {
    const int x = threadIdx.x, y = threadIdx.y, face = blockIdx.x;
    surfCubemapwrite(face * 100.0F + static_cast<float>(y * width + x), faces, x * 4, y, face);
}
__global__ void look(cudaTextureObject_t t, float3 d, float* to) {
    to[0] = texCubemap<float>(t, d.x, d.y, d.z);
}
__global__ void look_in_layer(cudaTextureObject_t t, float3 d, int layer, float* to) {
    to[0] = texCubemapLayered<float>(t, d.x, d.y, d.z, layer);
}

/// The direction of a place on a face, as the programming guide's table has them.
static float3 direction(int face, float s, float t) {
    const float3 all[] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t},
                          {s, -1, -t}, {s, -t, 1},  {-s, -t, -1}};
    return all[face];
}

static void cubes() {
    constexpr int width = 4;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    MUST(cudaMalloc3DArray(&array, &format, make_cudaExtent(width, width, 5), cudaArrayCubemap) ==
         cudaErrorInvalidValue);
    OK(cudaMalloc3DArray(&array, &format, make_cudaExtent(width, width, 6),
                         cudaArrayCubemap | cudaArraySurfaceLoadStore));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t faces;
    OK(cudaCreateSurfaceObject(&faces, &resource));
    paint<<<6, dim3(width, width)>>>(faces, width);
    cudaTextureDesc description{};
    description.normalizedCoords = 1;
    cudaTextureObject_t t, blended;
    OK(cudaCreateTextureObject(&t, &resource, &description, nullptr));
    description.filterMode = cudaFilterModeLinear;
    OK(cudaCreateTextureObject(&blended, &resource, &description, nullptr));
    for (int face = 0; face < 6; ++face)
        for (int y = 0; y < width; ++y)
            for (int x = 0; x < width; ++x) {
                float3 d = direction(face, (x + 0.5F) * 2 / width - 1, (y + 0.5F) * 2 / width - 1);
                const float length = 1.0F + face;  // does not matter
                d = {d.x * length, d.y * length, d.z * length};
                look<<<1, 1>>>(t, d, out);
                look<<<1, 1>>>(blended, d, out + 1);
                OK(cudaDeviceSynchronize());
                MUST(out[0] == face * 100.0F + static_cast<float>(y * width + x));
                MUST(out[1] == out[0]);  // in the middle of a texel
            }
    look<<<1, 1>>>(blended, direction(4, 0, 0), out);  // between the four of a face's middle
    MUST(cudaDeviceSynchronize() == cudaSuccess && out[0] == 400 + (5 + 6 + 9 + 10) / 4.0F);
    OK(cudaDestroyTextureObject(t));
    OK(cudaDestroyTextureObject(blended));
    MUST(cudaDestroySurfaceObject(faces) == cudaSuccess && cudaFreeArray(array) == cudaSuccess);

    // Two layers, filled from the host.
    OK(cudaMalloc3DArray(&array, &format, make_cudaExtent(width, width, 12),
                         cudaArrayCubemap | cudaArrayLayered));
    std::vector<float> values(12 * width * width);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(values.data(), width * 4, width, width);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(width, width, 12);
    copy.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&copy));
    resource.res.array.array = array;
    description.filterMode = cudaFilterModePoint;
    OK(cudaCreateTextureObject(&t, &resource, &description, nullptr));
    for (const int layer : {0, 1, 7}) {  // what is too large is the last
        look_in_layer<<<1, 1>>>(t, direction(3, 0.75F, -0.75F), layer, out);
        const int in = layer == 0 ? 0 : 1;
        MUST(cudaDeviceSynchronize() == cudaSuccess && out[0] == (in * 6 + 3) * 16 + 3);
    }
    MUST(cudaDestroyTextureObject(t) == cudaSuccess && cudaFreeArray(array) == cudaSuccess);
    cudaGetLastError();
}

int main() {
    OK(cudaMallocManaged(&out, 64));
    mipmaps();
    cubes();
    return verdict();
}
