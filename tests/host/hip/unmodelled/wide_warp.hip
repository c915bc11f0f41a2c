// unmodelled while it runs: a warp of 64 lanes
#include <hip/hip_runtime.h>

__global__ void sum(int* x) {
    int own = x[threadIdx.x];
    for (int step = 32; step > 0; step /= 2) own += __shfl_down(own, step, 64);
    if (threadIdx.x == 0) *x = own;
}
int main() {
    int* x;
    hipMalloc(&x, 64 * sizeof(int));
    hipMemset(x, 0, 64 * sizeof(int));
    sum<<<1, 64>>>(x);
    return hipDeviceSynchronize();
}
