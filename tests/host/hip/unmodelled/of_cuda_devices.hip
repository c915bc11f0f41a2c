// unmodelled: __dp4a
#include <hip/hip_runtime.h>

__global__ void dot(int* x) { *x = __dp4a(x[0], x[1], x[2]); }
int main() {
    int* x;
    hipMalloc(&x, 12);
    dot<<<1, 1>>>(x);
    return hipFree(x);
}
