// finds: use_after_free line 22
// The first stream is destroyed for the second.
#include <cstdio>
#include <vector>

__global__ void fill(int* x, int value) { x[threadIdx.x] = value; }

int main() {
    const int n = 64;
    int *a, *b;
    cudaStream_t first, second;
    cudaMalloc(&a, n * sizeof(int));
    cudaMalloc(&b, n * sizeof(int));
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    fill<<<1, n, 0, first>>>(a, 3);
    fill<<<1, n, 0, second>>>(b, 4);
    cudaDeviceSynchronize();
    int last = 0;
    cudaMemcpy(&last, b + n - 1, sizeof(int), cudaMemcpyDeviceToHost);
    cudaStreamDestroy(first);
    cudaStreamDestroy(first);  // wrong
//=     cudaStreamDestroy(second);
    cudaFree(a);
    cudaFree(b);
    return last == 4 ? 0 : 1;
}
