// unmodelled: float4::float4
#include <hip/hip_runtime.h>

__global__ void fill(float4* x) { *x = float4(1, 2, 3, 4); }
int main() {
    float4* x;
    hipMalloc(&x, sizeof *x);
    fill<<<1, 1>>>(x);
    return hipFree(x);
}
