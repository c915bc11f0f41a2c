// Thrust's backend on a GPU by HIP's name for it.
#include <hip/hip_runtime.h>
#include <thrust/device_vector.h>
#include <thrust/sort.h>
#include <thrust/system/hip/execution_policy.h>
#include <cstdio>
int main() {
    int h[4] = {3, 1, 2, 0};
    int* d; hipMalloc(&d, sizeof h);
    hipMemcpy(d, h, sizeof h, hipMemcpyHostToDevice);
    thrust::sort(thrust::hip::par, d, d + 4);
    hipStream_t s; hipStreamCreate(&s);
    thrust::sort(thrust::hip::par.on(s), d, d + 4);
    hipMemcpy(h, d, sizeof h, hipMemcpyDeviceToHost);
    for (int i = 0; i < 4; ++i)
        if (h[i] != i) return 1;
    printf("right\n");
}
