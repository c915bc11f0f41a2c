// finds: race line 12
// Nobody looks whether the swap was made: another thread may have counted between the read and the
// swap. In the plain order of threads none has.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void count(int* multiples, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || i % 3 != 0) return;
    int before = *multiples;
    atomicCAS(multiples, before, before + 1);  // wrong
//=     for (int seen; (seen = atomicCAS(multiples, before, before + 1)) != before;) before = seen;
}

int main() {
    constexpr int n = 512;
    int *multiples, found = 0;
    cudaMalloc(&multiples, sizeof(int));
    cudaMemset(multiples, 0, sizeof(int));
    count<<<2, 256>>>(multiples, n);
    cudaMemcpy(&found, multiples, sizeof found, cudaMemcpyDeviceToHost);
    cudaFree(multiples);
    std::printf("%d\n", found);
    return 0;
}
