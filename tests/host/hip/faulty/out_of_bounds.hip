// finds: out_of_bounds line 8
#include <hip/hip_runtime.h>

#define N 100

__global__ void twice(float* x) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] *= 2;
}

int main() {
    float* x;
    hipMalloc(&x, N * sizeof(float));
    hipMemset(x, 0, N * sizeof(float));
    hipLaunchKernelGGL(twice, dim3(1), dim3(128), 0, 0,
                       x);
    hipDeviceSynchronize();
    hipFree(x);
}
