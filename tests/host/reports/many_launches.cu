// reports: launches 20000; from-kernels 400000
// Told at their doubles, and to the last at the end. The stores reach whole pages, wherever
// --check puts the allocation.
#include <vector>

__global__ void add(float* to) { to[3000 * threadIdx.x] += 1; }

int main() {
    float* to;
    cudaMalloc(&to, 400000);
    cudaMemset(to, 0, 400000);
    std::vector<float> y(100000);
    for (int i = 0; i < 20000; ++i) add<<<1, 32>>>(to);
    cudaMemcpy(y.data(), to, 400000, cudaMemcpyDeviceToHost);
    return y[9000] == 20000 ? 0 : 1;
}
