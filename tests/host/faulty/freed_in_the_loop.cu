// finds: use_after_free line 11
// The second round still has the buffer that the first one freed.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void relax(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = in[i] / 2 + 3;
}

int main() {
    const int n = 1200, rounds = 3;
    std::vector<int> values(n);
    for (int i = 0; i < n; i++) values[i] = i * 8;
    int *current, *next;
    cudaMalloc(&current, n * sizeof(int));
    cudaMemcpy(current, values.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    for (int round = 0; round < rounds; round++) {
        cudaMalloc(&next, n * sizeof(int));
        relax<<<(n + 127) / 128, 128>>>(current, next, n);
        cudaDeviceSynchronize();
        cudaFree(current);
//=         current = next;
    }
    std::vector<int> result(n);
    cudaMemcpy(result.data(), next, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(next);
    for (int i = 0; i < n; i++) {
        int want = values[i];
        for (int round = 0; round < rounds; round++) want = want / 2 + 3;
        if (result[i] != want) return 1;
    }
    return 0;
}
