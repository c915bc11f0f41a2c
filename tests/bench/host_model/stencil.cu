// Four sweeps of a five-point stencil over 4096 x 4096 floats, no barriers. Prints their seconds.
#include <chrono>
#include <cstdio>
#include <utility>
#include <vector>

constexpr int n = 4096, sweeps = 4, rounds = 3;

__global__ void sweep(const float* in, float* out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
    const int i = y * n + x;
    out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
}

int main() {
    constexpr int size = n * n;
    std::vector<float> values(size);
    for (int i = 0; i < size; ++i) values[i] = i % 3 == 0 ? 64 : 8;
    float *a = nullptr, *b = nullptr;
    cudaMalloc(&a, size * sizeof(float));
    cudaMalloc(&b, size * sizeof(float));
    double least = 1e30;
    for (int round = 0; round <= rounds; ++round) {
        cudaMemcpy(a, values.data(), size * sizeof(float), cudaMemcpyHostToDevice);
        cudaMemcpy(b, values.data(), size * sizeof(float), cudaMemcpyHostToDevice);
        const auto start = std::chrono::steady_clock::now();
        for (int s = 0; s < sweeps; ++s) {
            sweep<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, b);
            std::swap(a, b);
        }
        cudaDeviceSynchronize();
        const double took =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (round > 0 && took < least) least = took;
    }
    cudaMemcpy(values.data(), a, size * sizeof(float), cudaMemcpyDeviceToHost);
    double total = 0;
    for (const float value : values) total += value;
    std::printf("%.6f\n", least);
    std::fprintf(stderr, "sum %.6f\n", total);
    return total < 8.0 * size || total > 64.0 * size;
}
