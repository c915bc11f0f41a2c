// reports: launches 2; from-kernels 128
// An empty kernel beside results of the host: of each copy no more than 64 bytes count, for the
// pages that allocations share. Nor is a kernel's what the host has written over it.
#include <vector>

__global__ void nothing(float*) {}
__global__ void fill(float* to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = 1;
}

int main() {
    const int n = 128 << 10;
    const size_t bytes = n * sizeof(float);
    std::vector<float> y(n, 2);
    float *a, *b;
    cudaMalloc(&a, bytes + 100);
    cudaMalloc(&b, bytes);
    nothing<<<1, 1>>>(a);
    fill<<<(n + 255) / 256, 256>>>(b, n);
    cudaMemcpy(b, y.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(y.data(), b, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(y.data(), a + 1024, bytes - 8192, cudaMemcpyDeviceToHost);
    return 0;
}
