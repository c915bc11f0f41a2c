// finds: uninitialised_read line 17
// One load a thread, for a table of two cells a thread.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#define THREADS 64
#define TABLE (2 * THREADS)

__global__ void lookup(const float* table, const int* keys, float* out) {
    __shared__ float cached[TABLE];
    cached[threadIdx.x] = table[threadIdx.x];
//=     cached[threadIdx.x + THREADS] = table[threadIdx.x + THREADS];
    __syncthreads();
    int i = blockIdx.x * THREADS + threadIdx.x;
    out[i] = cached[keys[i]];
}

int main() {
    const int n = 1024;
    std::vector<float> table(TABLE), out(n);
    std::vector<int> keys(n);
    for (int i = 0; i < TABLE; i++) table[i] = 10.0f * i;
    for (int i = 0; i < n; i++) keys[i] = (i * 5) % TABLE;
    float *d_table, *d_out;
    int* d_keys;
    cudaMalloc(&d_table, TABLE * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMalloc(&d_keys, n * sizeof(int));
    cudaMemcpy(d_table, table.data(), TABLE * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_keys, keys.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    lookup<<<n / THREADS, THREADS>>>(d_table, d_keys, d_out);
    cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_table);
    cudaFree(d_out);
    cudaFree(d_keys);
    for (int i = 0; i < n; i++)
        if (out[i] != table[keys[i]]) return 1;
    return 0;
}
