// refused: program.cu(6): error: redeclaration of
__global__ void k(float* a) {
    int i = threadIdx.x;
    float x = a[i];
    __syncthreads();
    int i = 3;
    __syncthreads();
    a[i] = x;
}
int main() { return 0; }
