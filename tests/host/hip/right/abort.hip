// abort() in device code, which HIP has beside the host's.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>

__device__ int checked(int x) {
    if (x != 7) abort();
    return x + 1;
}
__global__ void check(int* x) { *x = checked(*x); }

int main(int argc, char**) {
    if (argc > 99) abort();
    int* x;
    int y = 7;
    hipMalloc(&x, sizeof y);
    hipMemcpy(x, &y, sizeof y, hipMemcpyHostToDevice);
    check<<<1, 1>>>(x);
    hipMemcpy(&y, x, sizeof y, hipMemcpyDeviceToHost);
    printf(y == 8 ? "right\n" : "wrong\n");
    return y == 8 ? 0 : 1;
}
