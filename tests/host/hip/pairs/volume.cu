// A grid and blocks of three dimensions.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void blur(const float* in, float* out, dim3 size) {
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    const unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= size.x || y >= size.y || z >= size.z) return;
    const unsigned i = (z * size.y + y) * size.x + x;
    float sum = in[i];
    if (x > 0) sum += in[i - 1];
    if (y > 0) sum += in[i - size.x];
    if (z > 0) sum += in[i - size.x * size.y];
    out[i] = sum + gridDim.z * 100;
}

int main() {
    const dim3 size(20, 10, 6), block(8, 4, 2);
    const dim3 grid((size.x + block.x - 1) / block.x, (size.y + block.y - 1) / block.y, (size.z + block.z - 1) / block.z);
    std::vector<float> in(size.x * size.y * size.z, 1), out(in.size());
    const size_t bytes = in.size() * sizeof(float);
    float *a, *b;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMemcpy(a, in.data(), bytes, cudaMemcpyHostToDevice);
    blur<<<grid, block>>>(a, b, size);
    cudaMemcpy(out.data(), b, bytes, cudaMemcpyDeviceToHost);
    std::printf("%g %g %g\n", out[0], out[1], out[in.size() - 1]);
    cudaFree(a);
    cudaFree(b);
}
