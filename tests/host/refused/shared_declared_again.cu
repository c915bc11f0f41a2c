// refused: program.cu(6): error: conflicting declaration
extern __shared__ float before[];
__global__ void k(float* a) {
    __shared__ float s[32], t[32];
    extern __shared__ float u[];
    float u = s[0];
    __syncthreads();
    a[0] = u + t[0] + before[0];
}
int main() { return 0; }
