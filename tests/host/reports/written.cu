// reports: launches 1; from-kernels 400000
// The plain case: all that the host reads a kernel has written.
#include <vector>

__global__ void twice(const float* from, float* to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = 2 * from[i];
}

int main() {
    const int n = 100000;
    std::vector<float> x(n, 1), y(n);
    float *from, *to;
    cudaMalloc(&from, n * sizeof(float));
    cudaMalloc(&to, n * sizeof(float));
    cudaMemcpy(from, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    twice<<<(n + 255) / 256, 256>>>(from, to, n);
    cudaMemcpy(y.data(), to, n * sizeof(float), cudaMemcpyDeviceToHost);
    return y[5] == 2 ? 0 : 1;
}
