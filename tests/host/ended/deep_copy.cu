// ends: cuset-host: illegal_address: kernel scale, block (0,0,0), thread *: uses a pointer to host memory that was copied to the device
// A struct is copied, and what its member points to stays on the host.
#include <cuda_runtime.h>
#include <vector>
struct matrix {
    float* data;
    int rows, columns;
};
__global__ void scale(matrix* m, float by) {
    const int i = threadIdx.x;
    if (i < m->rows * m->columns) m->data[i] *= by;
}

int main() {
    std::vector<float> values(32, 1);
    const matrix m{values.data(), 4, 8};
    matrix* d = nullptr;
    cudaMalloc(&d, sizeof m);
    cudaMemcpy(d, &m, sizeof m, cudaMemcpyHostToDevice);
    scale<<<1, 32>>>(d, 2);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
