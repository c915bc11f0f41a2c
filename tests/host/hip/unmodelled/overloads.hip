// unmodelled: side() for the host and the device
#include <hip/hip_runtime.h>

__host__ int side() { return 1; }
__device__ int side() { return 2; }
__global__ void fill(int* x) { *x = side(); }
int main() {
    int* x;
    hipMalloc(&x, 4);
    fill<<<1, 1>>>(x);
    return hipFree(x) + side() - 1;
}
