// finds: race line 18
// The block meets at __syncthreads(), but the barrier that counts the copies is asked too late.
#include <cstdio>
#include <cuda/barrier>

constexpr int width = 128;

__global__ void reversed(const int* in, int* out) {
    __shared__ int tile[width];
    __shared__ cuda::barrier<cuda::thread_scope_block> copied;
    const int t = threadIdx.x;
    if (t == 0) init(&copied, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(&tile[t], in + blockIdx.x * width + t, sizeof(int), copied);
    auto token = copied.arrive();
//=     copied.wait(std::move(token));
    __syncthreads();
    out[blockIdx.x * width + t] = tile[width - 1 - t];
    copied.wait(std::move(token));  // wrong
}

int main() {
    const int n = 4 * width;
    int *in, *out;
    if (cudaMallocManaged(&in, n * sizeof(int)) != cudaSuccess) return 1;
    if (cudaMallocManaged(&out, n * sizeof(int)) != cudaSuccess) return 1;
    for (int i = 0; i < n; ++i) in[i] = i * 3 + 1;
    reversed<<<4, width>>>(in, out);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int i = 0; i < n; ++i)
        if (out[i] != in[i / width * width + width - 1 - i % width]) return 1;
    std::puts("ok");
    return cudaFree(in) != cudaSuccess || cudaFree(out) != cudaSuccess;
}
