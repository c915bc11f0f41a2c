// refused: program.cu(7): error: cudaMalloc is no name of HIP
#include <hip/hip_runtime.h>

__global__ void fill(int* x) { *x = 1; }
int main() {
    int* x;
    cudaMalloc(&x, 4);
    fill<<<1, 1>>>(x);
    return hipFree(x);
}
