// ends: cuset-host: crash: host code touches device memory
// Host code writes to memory that was allocated last, when much was there already.
#include <cstdlib>

__global__ void set(int* x) { x[threadIdx.x] = 7; }

int main() {
    int *x = nullptr, *y = nullptr;
    cudaMalloc(&x, 64 << 20);
    set<<<1, 32>>>(x);
    cudaMalloc(&y, 64 << 20);
    y[5] = 3;
    return 0;
}
