// reports: launches 1; from-kernels 400000
// A kernel that writes zeros to zeros has written them.
#include <vector>

__global__ void zero(float* to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = 0;
}

int main() {
    const int n = 100000;
    std::vector<float> y(n, 1);
    float* to;
    cudaMalloc(&to, n * sizeof(float));
    cudaMemset(to, 0, n * sizeof(float));
    zero<<<(n + 255) / 256, 256>>>(to, n);
    cudaMemcpy(y.data(), to, n * sizeof(float), cudaMemcpyDeviceToHost);
    return y[5] == 0 ? 0 : 1;
}
