// y = a * x + y for @N@ values; a is the only value of data/a.bin.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int count = @N@;

__global__ void saxpy(float a, const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "CUDA error: %s\n", cudaGetErrorString(error));
    std::exit(1);
}

static std::vector<float> read(const char* path, std::size_t n) {
    std::vector<float> values(n);
    std::FILE* file = std::fopen(path, "rb");
    if (!file || std::fread(values.data(), sizeof(float), n, file) != n) std::exit(2);
    std::fclose(file);
    return values;
}

int main() {
    const float a = read("data/a.bin", 1)[0];
    const auto x = read("data/x.bin", count);
    auto y = read("data/y.bin", count);
    float *device_x = nullptr, *device_y = nullptr;
    const std::size_t bytes = count * sizeof(float);
    check(cudaMalloc(&device_x, bytes));
    check(cudaMalloc(&device_y, bytes));
    check(cudaMemcpy(device_x, x.data(), bytes, cudaMemcpyHostToDevice));
    check(cudaMemcpy(device_y, y.data(), bytes, cudaMemcpyHostToDevice));
    saxpy<<<(count + 255) / 256, 256>>>(a, device_x, device_y, count);
    check(cudaGetLastError());
    check(cudaMemcpy(y.data(), device_y, bytes, cudaMemcpyDeviceToHost));
    cudaFree(device_x);
    cudaFree(device_y);
    std::FILE* file = std::fopen("data/out.bin", "wb");
    if (!file || std::fwrite(y.data(), sizeof(float), count, file) != count) return 3;
    return std::fclose(file);
}
