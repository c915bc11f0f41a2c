// ends: cuset-host: illegal_address: kernel set, block (1,0,0), thread (5,2,0): touches address 0x10
// Threads of a row may run in step; the message names the one that fails first in their order.
__global__ void set(float* x, int* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 37 && threadIdx.y == 2) y += 4;
    x[i] = 2;
    if (i >= 37 && threadIdx.y >= 2) *y = 1;
}

int main() {
    float* x = nullptr;
    cudaMalloc(&x, 64 * sizeof(float));
    set<<<2, dim3(32, 4)>>>(x, nullptr);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
