// Softmax of each of @ROWS@ rows of @COLUMNS@ values: one block a row.
#include <cfloat>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int rows = @ROWS@, columns = @COLUMNS@, threads = 128;

template <class Combine>
__device__ float reduce(float value, Combine combine) {
    __shared__ float shared[threads];
    shared[threadIdx.x] = value;
    __syncthreads();
    for (int step = threads / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            shared[threadIdx.x] = combine(shared[threadIdx.x], shared[threadIdx.x + step]);
        __syncthreads();
    }
    const float result = shared[0];
    __syncthreads();
    return result;
}

__global__ void softmax(const float* x, float* y) {
    const float* row = x + static_cast<std::size_t>(blockIdx.x) * columns;
    float* out = y + static_cast<std::size_t>(blockIdx.x) * columns;
    float top = -FLT_MAX;
    for (int i = threadIdx.x; i < columns; i += threads) top = fmaxf(top, row[i]);
    top = reduce(top, [](float a, float b) { return fmaxf(a, b); });
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += threads) sum += expf(row[i] - top);
    sum = reduce(sum, [](float a, float b) { return a + b; });
    for (int i = threadIdx.x; i < columns; i += threads) out[i] = expf(row[i] - top) / sum;
}

static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "CUDA error: %s\n", cudaGetErrorString(error));
    std::exit(1);
}

int main() {
    constexpr std::size_t count = static_cast<std::size_t>(rows) * columns;
    std::vector<float> values(count);
    std::FILE* file = std::fopen("data/x.bin", "rb");
    if (!file || std::fread(values.data(), sizeof(float), count, file) != count) return 2;
    std::fclose(file);
    float *x = nullptr, *y = nullptr;
    check(cudaMalloc(&x, count * sizeof(float)));
    check(cudaMalloc(&y, count * sizeof(float)));
    check(cudaMemcpy(x, values.data(), count * sizeof(float), cudaMemcpyHostToDevice));
    softmax<<<rows, threads>>>(x, y);
    check(cudaGetLastError());
    check(cudaMemcpy(values.data(), y, count * sizeof(float), cudaMemcpyDeviceToHost));
    cudaFree(x);
    cudaFree(y);
    file = std::fopen("data/out.bin", "wb");
    if (!file || std::fwrite(values.data(), sizeof(float), count, file) != count) return 3;
    return std::fclose(file);
}
