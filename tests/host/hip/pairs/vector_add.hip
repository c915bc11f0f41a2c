// A kernel of one line, and its result.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <vector>

__global__ void add(const float* a, const float* b, float* c, int n) {
    const int i = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;
    if (i < n) c[i] = a[i] + b[i];
}

int main() {
    const int n = 1000;
    std::vector<float> a(n), b(n), c(n);
    for (int i = 0; i < n; ++i) a[i] = i, b[i] = 2 * i;
    float *da, *db, *dc;
    hipMalloc(&da, n * sizeof(float));
    hipMalloc(&db, n * sizeof(float));
    hipMalloc(&dc, n * sizeof(float));
    hipMemcpy(da, a.data(), n * sizeof(float), hipMemcpyHostToDevice);
    hipMemcpy(db, b.data(), n * sizeof(float), hipMemcpyHostToDevice);
    hipLaunchKernelGGL(add, dim3((n + 255) / 256), dim3(256), 0, 0, da, db, dc, n);
    hipDeviceSynchronize();
    hipMemcpy(c.data(), dc, n * sizeof(float), hipMemcpyDeviceToHost);
    std::printf("%g %g %g\n", c[0], c[500], c[999]);
    hipFree(da);
    hipFree(db);
    hipFree(dc);
    return c[999] == 2997 ? 0 : 1;
}
