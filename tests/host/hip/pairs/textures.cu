// A texture over a CUDA array, and complex numbers.
#include <cuComplex.h>
#include <cuda_runtime.h>

#include <cstdio>

__global__ void sample(cudaTextureObject_t texture, float* out, int width) {
    const int x = threadIdx.x, y = threadIdx.y;
    out[y * width + x] = tex2D<float>(texture, x + 0.5f, y + 0.5f);
}

__global__ void squares(cuFloatComplex* z) { z[threadIdx.x] = cuCmulf(z[threadIdx.x], z[threadIdx.x]); }

int main() {
    float host[4][8], out[4][8], *device;
    for (int i = 0; i < 32; ++i) host[i / 8][i % 8] = i;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMallocArray(&array, &format, 8, 4);
    cudaMemcpy2DToArray(array, 0, 0, host, sizeof host[0], sizeof host[0], 4, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description = {};
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
    description.filterMode = cudaFilterModePoint;
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture = 0;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    cudaMalloc(&device, sizeof out);
    sample<<<1, dim3(8, 4)>>>(texture, device, 8);
    cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost);
    std::printf("%g %g\n", out[0][3], out[3][7]);
    cuFloatComplex numbers[2] = {make_cuFloatComplex(1, 2), make_cuFloatComplex(0, 1)}, *z;
    cudaMalloc(&z, sizeof numbers);
    cudaMemcpy(z, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    squares<<<1, 2>>>(z);
    cudaMemcpy(numbers, z, sizeof numbers, cudaMemcpyDeviceToHost);
    std::printf("%g %g %g %g\n", cuCrealf(numbers[0]), cuCimagf(numbers[0]), numbers[1].x, cuCabsf(numbers[1]));
    cudaDestroyTextureObject(texture);
    cudaFreeArray(array);
    cudaFree(device);
    cudaFree(z);
}
