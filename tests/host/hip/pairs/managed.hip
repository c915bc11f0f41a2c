// Managed memory, its hints, and a managed variable.
#include <hip/hip_runtime.h>

#include <cstdio>

__managed__ int counter = 5;

__global__ void fill(float* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = i * 0.5f;
    if (i == 0) counter += 10;
}

int main() {
    float* x;
    int device = 0;
    hipGetDevice(&device);
    hipMallocManaged(&x, 300 * sizeof(float));
    x[299] = -1;
    hipMemAdvise(x, 300 * sizeof(float), hipMemAdviseSetPreferredLocation, device);
    hipMemPrefetchAsync(x, 300 * sizeof(float), device, 0);
    fill<<<3, 100>>>(x, 300);
    hipDeviceSynchronize();
    std::printf("%g %g %d\n", x[1], x[299], counter);
    hipFree(x);
}
