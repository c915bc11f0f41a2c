// refused: program.cu(4): error: static assertion failed: a mask has 64 bits in HIP
#include <hip/hip_runtime.h>

__global__ void sum(int* x) { *x = __shfl_down_sync(0xffffffff, *x, 1); }
int main() {
    int* x;
    hipMalloc(&x, 4);
    sum<<<1, 32>>>(x);
    return hipFree(x);
}
