// Threads copy for all of their block, and a cuda::barrier is between the copy and what the others
// read, whoever comes to it last.
#include <cstdio>
#include <cuda/barrier>

constexpr int width = 16;

__global__ void sums(const float* in, float* out, int tiles) {
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ alignas(16) float tile[width][width];
    __shared__ barrier arrived;
    const int x = threadIdx.x, y = threadIdx.y;
    if (x == 0 && y == 0) init(&arrived, width * width);
    __syncthreads();
    float sum = 0;
    for (int t = 0; t < tiles; ++t) {
        if (x == 0)
            cuda::memcpy_async(&tile[y][0], in + (t * width + y) * width,
                               cuda::aligned_size_t<16>(sizeof tile[y]), arrived);
        arrived.arrive_and_wait();
        for (int k = 0; k < width; ++k) sum += tile[y][k] * (x + 1);
        arrived.arrive_and_wait();
    }
    if (blockIdx.x == 0) out[y * width + x] = sum;
}

int main() {
    const int tiles = 4, n = tiles * width * width;
    float *in, *out;
    if (cudaMallocManaged(&in, n * sizeof(float)) != cudaSuccess) return 1;
    if (cudaMallocManaged(&out, width * width * sizeof(float)) != cudaSuccess) return 1;
    for (int i = 0; i < n; ++i) in[i] = i % 13;
    sums<<<16, dim3(width, width)>>>(in, out, tiles);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int y = 0; y < width; ++y) {
        float row = 0;
        for (int t = 0; t < tiles; ++t)
            for (int k = 0; k < width; ++k) row += in[(t * width + y) * width + k];
        for (int x = 0; x < width; ++x)
            if (out[y * width + x] != row * (x + 1)) return 1;
    }
    std::puts("ok");
    return cudaFree(in) != cudaSuccess || cudaFree(out) != cudaSuccess;
}
