// ends: cuset-host: illegal_address: kernel set, block (1,0,0), thread (5,2,0): touches
// Threads of a row may run in step; the message names the one that fails.
__global__ void set(int* x, int* nowhere) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int* to = x + i;
    if (i == 37 && threadIdx.y == 2) to = nowhere + 4;
    *to = 2;
}

int main() {
    int* x = nullptr;
    cudaMalloc(&x, 64 * sizeof(int));
    set<<<2, dim3(32, 4)>>>(x, nullptr);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
