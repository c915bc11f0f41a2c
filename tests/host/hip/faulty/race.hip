// finds: race line 8
#include <hip/hip_runtime.h>

__global__ void last(int* x, int n) {
    const int i = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;

    // Two blocks write what one of them should.
    x[i % n] = i;
}

int main() {
    int host[64] = {}, *x;
    hipMalloc(&x, sizeof host);
    hipLaunchKernelGGL(last, 2, 64, 0, 0, x, 64);
    hipMemcpy(host, x, sizeof host, hipMemcpyDeviceToHost);
    hipFree(x);
}
