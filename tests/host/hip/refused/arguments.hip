// refused: program.cu(6): error: the arguments of a launch do not fit the kernel's parameters
#include <hip/hip_runtime.h>

__global__ void fill(int* x, int n) { *x = n; }
int main() {
    hipLaunchKernelGGL(fill, 1, 1, 0, 0, 5);
}
