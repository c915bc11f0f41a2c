// finds: out_of_bounds line 24
// The pitch is in bytes but counted in elements.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(call)                                                                       \
    do {                                                                                       \
        cudaError_t err = call;                                                                \
        if (err != cudaSuccess) {                                                              \
            fprintf(stderr, "CUDA error at line %d: %s\n", __LINE__, cudaGetErrorString(err)); \
            exit(1);                                                                           \
        }                                                                                      \
    } while (0)

__global__ void scaleRows(float* image, size_t pitch, int width, int height, float factor) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        float* row = image + y * pitch;  // wrong
//=         float* row = (float*)((char*)image + y * pitch);
        row[x] *= factor;
    }
}

int main() {
    const int width = 100, height = 40;
    std::vector<float> pixels(width * height);
    for (int i = 0; i < width * height; i++) pixels[i] = i;
    float* d_image;
    size_t pitch;
    CUDA_CHECK(cudaMallocPitch(&d_image, &pitch, width * sizeof(float), height));
    CUDA_CHECK(cudaMemset2D(d_image, pitch, 0, pitch, height));
    CUDA_CHECK(cudaMemcpy2D(d_image, pitch, pixels.data(), width * sizeof(float),
                            width * sizeof(float), height, cudaMemcpyHostToDevice));
    dim3 block(32, 8), grid((width + 31) / 32, (height + 7) / 8);
    scaleRows<<<grid, block>>>(d_image, pitch, width, height, 2.0f);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy2D(pixels.data(), width * sizeof(float), d_image, pitch,
                            width * sizeof(float), height, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_image));
    for (int i = 0; i < width * height; i++)
        if (pixels[i] != 2.0f * i) return 1;
    return 0;
}
