// refused: program.cu(5): error: declaration of
// Behind the last barrier, where nothing has to outlive one.
__global__ void k(float* a, int n) {
    __syncthreads();
    int n = 3;
    a[n] = 1;
}
int main() { return 0; }
