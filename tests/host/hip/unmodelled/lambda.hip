// unmodelled: a lambda of the host as a kernel's argument
#include <hip/hip_runtime.h>

template <class F>
__global__ void fill(F f, int* x) { x[threadIdx.x] = f(threadIdx.x); }
int main() {
    int *x, m = 2;
    hipMalloc(&x, 128);
    fill<<<1, 32>>>([=](int i) { return i * m; }, x);
    return hipFree(x);
}
