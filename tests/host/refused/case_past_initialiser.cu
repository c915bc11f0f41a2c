// refused: program.cu(9): error: jump to case label
__global__ void k(float* a, int n) {
    switch (n) {
    case 1:
        int x = a[0];
        __syncthreads();
        a[1] = x;
        break;
    case 2: __syncthreads();
    }
}
int main() { return 0; }
