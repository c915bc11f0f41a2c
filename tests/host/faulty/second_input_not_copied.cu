// finds: uninitialised_read line 8
// One of two inputs never reaches the device.
#include <cstdio>
#include <vector>

__global__ void multiply(const double* a, const double* b, double* c, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        c[i] = a[i] * b[i];
    }
}

int main() {
    const int n = 2000;
    std::vector<double> a(n), b(n), c(n);
    for (int i = 0; i < n; i++) {
        a[i] = i;
        b[i] = 0.5;
    }
    double *d_a, *d_b, *d_c;
    cudaMalloc(&d_a, n * sizeof(double));
    cudaMalloc(&d_b, n * sizeof(double));
    cudaMalloc(&d_c, n * sizeof(double));
    cudaMemcpy(d_a, a.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_a, b.data(), n * sizeof(double), cudaMemcpyHostToDevice);  // wrong
//=     cudaMemcpy(d_b, b.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    multiply<<<4, 128>>>(d_a, d_b, d_c, n);
    cudaMemcpy(c.data(), d_c, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
    for (int i = 0; i < n; i++)
        if (c[i] != i * 0.5) return 1;
    return 0;
}
