// A texture over a CUDA array, and complex numbers.
#include <hip/hip_complex.h>
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void sample(hipTextureObject_t texture, float* out, int width) {
    const int x = threadIdx.x, y = threadIdx.y;
    out[y * width + x] = tex2D<float>(texture, x + 0.5f, y + 0.5f);
}

__global__ void squares(hipFloatComplex* z) { z[threadIdx.x] = hipCmulf(z[threadIdx.x], z[threadIdx.x]); }

int main() {
    float host[4][8], out[4][8], *device;
    for (int i = 0; i < 32; ++i) host[i / 8][i % 8] = i;
    hipChannelFormatDesc format = hipCreateChannelDesc<float>();
    hipArray_t array;
    hipMallocArray(&array, &format, 8, 4);
    hipMemcpy2DToArray(array, 0, 0, host, sizeof host[0], sizeof host[0], 4, hipMemcpyHostToDevice);
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = array;
    hipTextureDesc description = {};
    description.addressMode[0] = description.addressMode[1] = hipAddressModeClamp;
    description.filterMode = hipFilterModePoint;
    description.readMode = hipReadModeElementType;
    hipTextureObject_t texture = 0;
    hipCreateTextureObject(&texture, &resource, &description, nullptr);
    hipMalloc(&device, sizeof out);
    sample<<<1, dim3(8, 4)>>>(texture, device, 8);
    hipMemcpy(out, device, sizeof out, hipMemcpyDeviceToHost);
    std::printf("%g %g\n", out[0][3], out[3][7]);
    hipFloatComplex numbers[2] = {make_hipFloatComplex(1, 2), make_hipFloatComplex(0, 1)}, *z;
    hipMalloc(&z, sizeof numbers);
    hipMemcpy(z, numbers, sizeof numbers, hipMemcpyHostToDevice);
    squares<<<1, 2>>>(z);
    hipMemcpy(numbers, z, sizeof numbers, hipMemcpyDeviceToHost);
    std::printf("%g %g %g %g\n", hipCrealf(numbers[0]), hipCimagf(numbers[0]), numbers[1].x, hipCabsf(numbers[1]));
    hipDestroyTextureObject(texture);
    hipFreeArray(array);
    hipFree(device);
    hipFree(z);
}
