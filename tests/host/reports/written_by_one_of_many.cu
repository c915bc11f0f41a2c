// reports: launches 3; from-kernels 1200000
// Several allocations side by side, written in turn by several threads of the machine; and what a
// kernel has written stays its own where the host changes a part of it, or the device copies it.
#include <vector>

__global__ void add(float* to, int n, float a) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        to[i] += a;
}

int main() {
    const int n = 100000;
    const size_t bytes = n * sizeof(float);
    std::vector<float> y(n, 1);
    float* p[3];
    for (float*& each : p) {
        cudaMalloc(&each, bytes);
        cudaMemcpy(each, y.data(), bytes, cudaMemcpyHostToDevice);
    }
    for (float* each : p) add<<<64, 256>>>(each, n, 3);
    cudaMemcpy(p[0], y.data(), 40, cudaMemcpyHostToDevice);
    cudaMemcpy(p[2], p[1], bytes, cudaMemcpyDeviceToDevice);
    bool right = true;
    for (float* each : p) {
        cudaMemcpy(y.data(), each, bytes, cudaMemcpyDeviceToHost);
        right = right && y[n - 1] == 4;
    }
    return right ? 0 : 1;
}
