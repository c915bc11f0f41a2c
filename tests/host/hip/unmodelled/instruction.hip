// unmodelled: __builtin_amdgcn_readfirstlane
#include <hip/hip_runtime.h>

__global__ void first(int* x) { *x = __builtin_amdgcn_readfirstlane(*x); }
int main() {
    int* x;
    hipMalloc(&x, 4);
    first<<<1, 64>>>(x);
    return hipFree(x);
}
