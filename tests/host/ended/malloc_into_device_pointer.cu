// ends: cuset-host: illegal_address: kernel fill, block (0,0,0), thread *: touches address 0x
// cudaMalloc() sets the host's variable of that name, and the device's stays null.
__device__ float* buffer;
__global__ void fill() { buffer[threadIdx.x] = threadIdx.x; }

int main() {
    cudaMalloc((void**)&buffer, 32 * sizeof(float));
    fill<<<1, 32>>>();
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
