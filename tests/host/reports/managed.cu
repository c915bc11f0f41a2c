// reports: launches 2; from-kernels 409600
// Managed memory: what a kernel wrote, not what the host did before, while and after it ran.
__global__ void nothing(float*) {}
__global__ void twice(const float* from, float* to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = 2 * from[i];
}

int main() {
    const int n = 100 << 10;
    float *x, *y, *z;
    cudaMallocManaged(&x, n * sizeof(float));
    cudaMallocManaged(&y, n * sizeof(float));
    cudaMallocManaged(&z, n * sizeof(float));
    for (int i = 0; i < n; ++i) x[i] = i;
    nothing<<<1, 1>>>(z);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) z[i] = i;
    twice<<<(n + 255) / 256, 256>>>(x, y, n);
    cudaDeviceSynchronize();
    x[0] = 3;
    return y[5] == 10 && z[5] == 5 ? 0 : 1;
}
