// Managed memory, its hints, and a managed variable.
#include <cuda_runtime.h>

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
    cudaGetDevice(&device);
    cudaMallocManaged(&x, 300 * sizeof(float));
    x[299] = -1;
    cudaMemLocation place;
    place.type = cudaMemLocationTypeDevice;
    place.id = device;
    cudaMemAdvise(x, 300 * sizeof(float), cudaMemAdviseSetPreferredLocation, place);
    cudaMemPrefetchAsync(x, 300 * sizeof(float), place, 0, 0);
    fill<<<3, 100>>>(x, 300);
    cudaDeviceSynchronize();
    std::printf("%g %g %d\n", x[1], x[299], counter);
    cudaFree(x);
}
