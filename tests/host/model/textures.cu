// Texture objects: point and linear filtering, addressing outside, arrays, pitched and linear
// memory; surfaces. Coordinates are chosen so that the 8 bits of the filter's weights are exact.
#include "check.h"

constexpr int width = 8, height = 6;

__global__ void points(cudaTextureObject_t t, float* out) {
    const int x = int(threadIdx.x) - 3, y = int(threadIdx.y) - 3;
    out[threadIdx.y * blockDim.x + threadIdx.x] = tex2D<float>(t, x + 0.5f, y + 0.5f);
}
__global__ void halfway(cudaTextureObject_t t, float* out, float sx, float sy, float dx) {
    const int x = int(threadIdx.x) - 3, y = int(threadIdx.y) - 3;
    out[threadIdx.y * blockDim.x + threadIdx.x] = tex2D<float>(t, (x + dx) * sx, (y + 0.5f) * sy);
}
__global__ void bytes(cudaTextureObject_t t, float4* out) {
    out[threadIdx.x] = tex2D<float4>(t, threadIdx.x + 0.5f, 1.5f);
}
__global__ void raw_bytes(cudaTextureObject_t t, uchar4* out) {
    out[threadIdx.x] = tex2D<uchar4>(t, threadIdx.x, 1);
}
__global__ void fetch(cudaTextureObject_t t, int n, float* out) {
    if (threadIdx.x < n) out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x);
}
__global__ void on_surface(cudaSurfaceObject_t s) {
    const int x = threadIdx.x, y = threadIdx.y;
    float value;
    surf2Dread(&value, s, x * 4, y);
    surf2Dwrite(value * 2 + 1, s, x * 4, y);
}

static cudaTextureObject_t texture(const cudaResourceDesc& resource, cudaTextureAddressMode outside,
                                   cudaTextureFilterMode filter, bool normalized = false,
                                   cudaTextureReadMode mode = cudaReadModeElementType) {
    cudaTextureDesc d;
    std::memset(&d, 0, sizeof d);
    d.addressMode[0] = d.addressMode[1] = outside;
    d.filterMode = filter;
    d.readMode = mode;
    d.normalizedCoords = normalized;
    cudaTextureObject_t object = 0;
    OK(cudaCreateTextureObject(&object, &resource, &d, nullptr));
    return object;
}
static int clamped(int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }
static float cell(int x, int y) { return x * x + 16 * y; }

int main() {
    std::vector<float> image(width * height);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) image[y * width + x] = cell(x, y);
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    OK(cudaMallocArray(&array, &format, width, height, cudaArraySurfaceLoadStore));
    OK(cudaMemcpy2DToArray(array, 0, 0, image.data(), width * 4, width * 4, height,
                           cudaMemcpyHostToDevice));
    cudaResourceDesc in_array;
    std::memset(&in_array, 0, sizeof in_array);
    in_array.resType = cudaResourceTypeArray;
    in_array.res.array.array = array;
    const dim3 threads(width + 6, height + 6);
    const int n = threads.x * threads.y;

    for (int kind = 0; kind < 5; ++kind) {
        // 0, 1: clamp and border, by whole cells; 2: linear, halfway; 3, 4: wrap, mirror.
        const bool normalized = kind >= 3;
        const cudaTextureObject_t t =
            texture(in_array,
                    kind == 1   ? cudaAddressModeBorder
                    : kind == 3 ? cudaAddressModeWrap
                    : kind == 4 ? cudaAddressModeMirror
                                : cudaAddressModeClamp,
                    kind == 2 ? cudaFilterModeLinear : cudaFilterModePoint, normalized);
        float* out = device<float>(n);
        if (kind < 2)
            points<<<1, threads>>>(t, out);
        else
            halfway<<<1, threads>>>(t, out, normalized ? 1.0f / width : 1,
                                    normalized ? 1.0f / height : 1, kind == 2 ? 1.0f : 0.5f);
        const std::vector<float> got = taken(out, n);
        for (int i = 0; i < n; ++i) {
            const int x = i % int(threads.x) - 3, y = i / int(threads.x) - 3;
            const int cx = clamped(x, width), cy = clamped(y, height);
            float want = cell(cx, cy);
            if (kind == 1 && (cx != x || cy != y)) want = 0;
            if (kind == 2) want = (want + cell(clamped(x + 1, width), cy)) / 2;
            if (kind == 3) want = cell((x + width) % width, (y + height) % height);
            if (kind == 4)
                want = cell(x < 0        ? -1 - x
                            : x >= width ? 2 * width - 1 - x
                                         : x,
                            y < 0         ? -1 - y
                            : y >= height ? 2 * height - 1 - y
                                          : y);
            expect("texture", kind * 1000 + i, got[i], want);
        }
        OK(cudaDestroyTextureObject(t));
    }

    // A surface over the same array.
    cudaSurfaceObject_t surface = 0;
    OK(cudaCreateSurfaceObject(&surface, &in_array));
    on_surface<<<1, dim3(width, height)>>>(surface);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy2DFromArray(image.data(), width * 4, array, 0, 0, width * 4, height,
                             cudaMemcpyDeviceToHost));
    for (int i = 0; i < width * height; ++i)
        expect("surface", i, image[i], cell(i % width, i / width) * 2 + 1);
    OK(cudaDestroySurfaceObject(surface));
    OK(cudaFreeArray(array));

    // Four bytes a cell, in pitched memory: as they are, and from 0 to 1.
    std::vector<uchar4> pixels(width * 2);
    for (int i = 0; i < width * 2; ++i) pixels[i] = make_uchar4(i, 255, 51, 255 - i);
    uchar4* pitched = nullptr;
    std::size_t pitch = 0;
    OK(cudaMallocPitch(&pitched, &pitch, width * 4, 2));
    OK(cudaMemcpy2D(pitched, pitch, pixels.data(), width * 4, width * 4, 2,
                    cudaMemcpyHostToDevice));
    cudaResourceDesc in_rows;
    std::memset(&in_rows, 0, sizeof in_rows);
    in_rows.resType = cudaResourceTypePitch2D;
    in_rows.res.pitch2D = {pitched, cudaCreateChannelDesc<uchar4>(), width, 2, pitch};
    cudaTextureObject_t t = texture(in_rows, cudaAddressModeClamp, cudaFilterModePoint, false,
                                    cudaReadModeNormalizedFloat);
    float4* fours = device<float4>(width);
    bytes<<<1, width>>>(t, fours);
    const std::vector<float4> four = taken(fours, width);
    OK(cudaDestroyTextureObject(t));
    t = texture(in_rows, cudaAddressModeClamp, cudaFilterModePoint);
    uchar4* raws = device<uchar4>(width);
    raw_bytes<<<1, width>>>(t, raws);
    const std::vector<uchar4> raw = taken(raws, width);
    for (int i = 0; i < width; ++i) {
        expect("normalized", i, four[i].y, 1.0f);
        expect("normalized", i, int(four[i].x * 255 + 0.5f), width + i);
        expect("raw", i, raw[i].x * 1000 + raw[i].w, (width + i) * 1000 + 255 - width - i);
    }
    OK(cudaDestroyTextureObject(t));
    OK(cudaFree(pitched));

    // Linear memory.
    float* line = device<float>(40);
    std::vector<float> values(40);
    for (int i = 0; i < 40; ++i) values[i] = i * 1.5f;
    OK(cudaMemcpy(line, values.data(), 160, cudaMemcpyHostToDevice));
    cudaResourceDesc linear;
    std::memset(&linear, 0, sizeof linear);
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear.devPtr = line;
    linear.res.linear.desc = format;
    linear.res.linear.sizeInBytes = 160;
    t = texture(linear, cudaAddressModeClamp, cudaFilterModePoint);
    float* out = device<float>(40);
    fetch<<<1, 64>>>(t, 40, out);
    const std::vector<float> got = taken(out, 40);
    for (int i = 0; i < 40; ++i) expect("fetched", i, got[i], values[i]);
    OK(cudaDestroyTextureObject(t));
    OK(cudaFree(line));
    return verdict();
}
