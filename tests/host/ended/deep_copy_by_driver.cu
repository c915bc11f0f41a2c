// ends: cuset-host: illegal_address: kernel sum, block (0,0,0), thread *: uses a pointer to host memory that was copied to the device
// The driver API copies the struct.
#include <cuda.h>
#include <cuda_runtime.h>

#include <vector>
struct numbers {
    const float* data;
    int count;
};
__global__ void sum(const numbers* n, float* to) {
    float all = 0;
    for (int i = 0; i < n->count; ++i) all += n->data[i];
    *to = all;
}

int main() {
    std::vector<float> values(32, 1);
    const numbers n{values.data(), 32};
    numbers* d = nullptr;
    float* to = nullptr;
    cudaMalloc(&d, sizeof n);
    cudaMalloc(&to, sizeof *to);
    cuMemcpyHtoD(reinterpret_cast<CUdeviceptr>(d), &n, sizeof n);
    sum<<<1, 1>>>(d, to);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
