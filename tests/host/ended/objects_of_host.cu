// ends: cuset-host: illegal_address: kernel areas, block (*,0,0), thread *: calls a virtual function of an object that host code made
// Many objects with virtual functions are copied by their bytes.
#include <cuda_runtime.h>
#include <vector>
struct shape {
    __host__ __device__ virtual double area() const { return 0; }
};
struct square : shape {
    double side = 1;
    __host__ __device__ double area() const override { return side * side; }
};
__global__ void areas(const square* all, double* to) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const shape& one = all[i];
    to[i] = one.area();
}

int main() {
    std::vector<square> all(256);
    square* d = nullptr;
    double* to = nullptr;
    cudaMalloc(&d, 256 * sizeof(square));
    cudaMalloc(&to, 256 * sizeof(double));
    cudaMemcpy(d, all.data(), 256 * sizeof(square), cudaMemcpyHostToDevice);
    areas<<<8, 32>>>(d, to);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
