// Memory that a stream uses is given back by another one, which nothing orders behind it.
#include <cstdio>

constexpr int n = 1024;

__global__ void fill(int* x) { x[threadIdx.x] = static_cast<int>(threadIdx.x); }
__global__ void turn(const int* x, int* y) { y[threadIdx.x] = x[n - 1 - threadIdx.x]; }  // race

int main() {
    cudaStream_t work, cleaning;
    cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&cleaning, cudaStreamNonBlocking);
    int *x, *y, found[n];
    cudaMalloc(&y, sizeof found);
    cudaMallocAsync(&x, sizeof found, work);
    fill<<<1, n, 0, work>>>(x);
    turn<<<1, n, 0, work>>>(x, y);
    cudaFreeAsync(x, cleaning);
    cudaDeviceSynchronize();
    cudaMemcpy(found, y, sizeof found, cudaMemcpyDeviceToHost);
    cudaFree(y);
    for (int i = 0; i < n; ++i)
        if (found[i] != n - 1 - i) return std::puts("wrong"), 1;
    return 0;
}
