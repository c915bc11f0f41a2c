// Launches in kernels: a child runs with what its parent wrote, and makes children itself; all have
// ended when the host has waited for the parent.
#include "check.h"

__global__ void fill(int* x, int begin, int count, int depth) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) x[begin + i] += depth;
}

/// Halves its part until it is small.
__global__ void divide(int* x, int begin, int count, int depth) {
    if (threadIdx.x != 0) return;
    x[begin] = 100;
    if (count <= 8) {
        fill<<<1, count>>>(x, begin, count, depth);
        return;
    }
    divide<<<1, 2>>>(x, begin, count / 2, depth + 1);
    divide<<<1, 2>>>(x, begin + count / 2, count - count / 2, depth + 1);
}

__global__ void parents(int* sums) {
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    atomicAdd(&total, static_cast<int>(threadIdx.x));
    __syncthreads();
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = total;
        fill<<<1, 1>>>(sums, blockIdx.x, 1, 1000 * blockIdx.x);
    }
}

/// What a kernel gives to a stream is done in the stream's order, after the kernel.
__global__ void in_order(int* x, int* copy) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMemsetAsync(x, 0, 4 * sizeof(int), stream);
    fill<<<1, 4, 0, stream>>>(x, 0, 4, 7);
    cudaMemcpyAsync(copy, x, 4 * sizeof(int), cudaMemcpyDeviceToDevice, stream);
    cudaMemsetAsync(x, 0, sizeof(int), stream);
    fill<<<1, 2, 0, stream>>>(x, 0, 2, 30);
    cudaStreamDestroy(stream);
    x[3] = -1;
}

int main() {
    constexpr int n = 64;
    int* x;
    cudaMalloc(&x, n * sizeof(int));
    cudaMemset(x, 0, n * sizeof(int));
    divide<<<1, 2>>>(x, 0, n, 0);
    OK(cudaDeviceSynchronize());
    std::vector<int> out(n);
    cudaMemcpy(out.data(), x, n * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) MUST(out[i] == 3 + (i % 8 == 0 ? 100 : 0));
    parents<<<8, 64>>>(x);
    cudaMemcpy(out.data(), x, n * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 8; ++i) MUST(out[i] == 63 * 64 / 2 + 1000 * i);
    in_order<<<1, 1>>>(x, x + 8);
    cudaMemcpy(out.data(), x, 16 * sizeof(int), cudaMemcpyDeviceToHost);
    MUST(out[0] == 30 && out[1] == 37 && out[2] == 7 && out[3] == 7);
    for (int i = 8; i < 12; ++i) MUST(out[i] == 7);
    cudaFree(x);
    return verdict();
}
