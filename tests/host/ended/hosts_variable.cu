// ends: cuset-host: illegal_address: kernel set, block (0,0,0), thread *: uses a pointer to host memory
// Host code passes a device variable's own name: the address of the host's variable of that name.
__device__ int table[32];
__global__ void set(int* x) { x[threadIdx.x] = 7; }

int main() {
    set<<<1, 32>>>(table);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
