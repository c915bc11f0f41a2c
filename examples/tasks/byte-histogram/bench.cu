// How often each byte value occurs in @N@ bytes: a histogram a block in shared memory, then a sum.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int count = @N@, bins = 256;

__global__ void histogram(const std::uint8_t* bytes, std::uint32_t* counts) {
    __shared__ std::uint32_t mine[bins];
    for (int i = threadIdx.x; i < bins; i += blockDim.x) mine[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[bytes[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < bins; i += blockDim.x) atomicAdd(&counts[i], mine[i]);
}

static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "CUDA error: %s\n", cudaGetErrorString(error));
    std::exit(1);
}

int main() {
    std::vector<std::uint8_t> bytes(count);
    std::FILE* file = std::fopen("data/bytes.bin", "rb");
    if (!file || std::fread(bytes.data(), 1, count, file) != count) return 2;
    std::fclose(file);
    std::uint8_t* device_bytes = nullptr;
    std::uint32_t* device_counts = nullptr;
    check(cudaMalloc(&device_bytes, count));
    check(cudaMalloc(&device_counts, bins * sizeof(std::uint32_t)));
    check(cudaMemcpy(device_bytes, bytes.data(), count, cudaMemcpyHostToDevice));
    check(cudaMemset(device_counts, 0, bins * sizeof(std::uint32_t)));
    histogram<<<16, 256>>>(device_bytes, device_counts);
    check(cudaGetLastError());
    std::vector<std::uint32_t> counts(bins);
    check(cudaMemcpy(counts.data(), device_counts, bins * sizeof(std::uint32_t),
                     cudaMemcpyDeviceToHost));
    cudaFree(device_bytes);
    cudaFree(device_counts);
    file = std::fopen("data/counts.bin", "wb");
    if (!file || std::fwrite(counts.data(), sizeof(std::uint32_t), bins, file) != bins) return 3;
    return std::fclose(file);
}
