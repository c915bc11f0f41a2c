// finds: uninitialised_read line 11
// The copy counts elements, not bytes: three quarters stay unset.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

__global__ void doubleValues(const int* in, int* out, int n) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        out[idx] = in[idx] * 2;
    }
}

int main() {
    const int n = 1024;
    int *h_in = (int*)malloc(n * sizeof(int)), *h_out = (int*)malloc(n * sizeof(int));
    for (int i = 0; i < n; i++) h_in[i] = i;
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(int));
    cudaMemcpy(d_in, h_in, n, cudaMemcpyHostToDevice);  // wrong
//=     cudaMemcpy(d_in, h_in, n * sizeof(int), cudaMemcpyHostToDevice);
    doubleValues<<<(n + 127) / 128, 128>>>(d_in, d_out, n);
    cudaMemcpy(h_out, d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong |= h_out[i] != 2 * i;
    free(h_in);
    free(h_out);
    return wrong;
}
