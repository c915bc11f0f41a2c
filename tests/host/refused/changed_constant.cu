// refused: program.cu(6): error: assignment of read-only variable
// The kernel has no stack for each thread: its variables are members of a frame.
__global__ void k(float* a) {
    const float x = a[threadIdx.x];
    __syncthreads();
    x = 3;
    a[threadIdx.x] = x;
}
int main() { return 0; }
