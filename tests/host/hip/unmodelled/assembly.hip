// unmodelled: inline_assembly
#include <hip/hip_runtime.h>

__global__ void lane(int* x) { asm volatile("mov.u32 %0, %%laneid;" : "=r"(*x)); }
int main() {
    int* x;
    hipMalloc(&x, 4);
    lane<<<1, 1>>>(x);
    return hipFree(x);
}
