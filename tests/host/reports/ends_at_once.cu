// reports: launches 64; from-kernels 400000
// A program that ends in the middle leaves less than half unreported.
#include <unistd.h>

#include <vector>

__global__ void add(float* to) { to[blockIdx.x * 1000 + threadIdx.x] += 1; }

int main() {
    float* to;
    cudaMalloc(&to, 400000);
    cudaMemset(to, 0, 400000);
    std::vector<float> y(100000);
    for (int i = 0; i < 100; ++i) add<<<100, 1000>>>(to);
    cudaMemcpy(y.data(), to, 400000, cudaMemcpyDeviceToHost);
    cudaMemcpy(y.data(), to, 40, cudaMemcpyDeviceToHost);
    _exit(y[3] == 100 ? 0 : 1);
}
