// Kernels with the names of functions that the system's headers declare.
#include <unistd.h>

#include <cstdio>
#include <cstring>

__global__ void pipe(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x] + 1; }
__global__ void index(int* to, int n) { to[threadIdx.x] *= n; }

int main() {
    int *in, *out;
    cudaMallocManaged(&in, 32 * sizeof(int));
    cudaMallocManaged(&out, 32 * sizeof(int));
    for (int i = 0; i < 32; ++i) in[i] = i;
    pipe<<<1, 32>>>(in, out);
    index<<<1, 32>>>(out, 3);
    int failures = cudaDeviceSynchronize() != cudaSuccess;
    for (int i = 0; i < 32; ++i) failures += out[i] != 3 * (i + 1);
    std::printf("%d failures\n", failures);
    return failures;
}
