// refused: program.cu(4): error: assignment of read-only parameter
__global__ void k(float* a, const int n) {
    __syncthreads();
    n = 3;
    __syncthreads();
    a[threadIdx.x] = n;
}
int main() { return 0; }
