#include <cstddef>
__global__ void fill(float* x, std::size_t n, float value) {
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n;
         i += std::size_t{gridDim.x} * blockDim.x)
        x[i] = x[i] * 0.5f + value;
}
int main() {
    constexpr std::size_t bytes = std::size_t{256} << 20;
    float* x = nullptr;
    if (cudaMalloc(&x, bytes) != cudaSuccess) return 1;
    for (int round = 0; round < 200; ++round) fill<<<2048, 256>>>(x, bytes / sizeof *x, 1.0f);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
