// finds: race line 22,23,34
// Blocks read what their neighbours overwrite in the same launch.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(call)                                                                       \
    do {                                                                                       \
        cudaError_t err = call;                                                                \
        if (err != cudaSuccess) {                                                              \
            fprintf(stderr, "CUDA error at line %d: %s\n", __LINE__, cudaGetErrorString(err)); \
            exit(1);                                                                           \
        }                                                                                      \
    } while (0)

__global__ void blur(int* cells, int n) {  // wrong
//= __global__ void blur(const int* cells, int* result, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0 || i >= n - 1) return;
    int sum = cells[i - 1] + cells[i] + cells[i + 1];
    cells[i] = sum / 3;  // wrong
//=     result[i] = sum / 3;
}

int main() {
    const int n = 1000;
    std::vector<int> cells(n), result(n);
    for (int i = 0; i < n; i++) cells[i] = (i * 577) % 3001;
    int* d_cells;
    CUDA_CHECK(cudaMalloc(&d_cells, n * sizeof(int)));
    CUDA_CHECK(cudaMemcpy(d_cells, cells.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    blur<<<(n + 63) / 64, 64>>>(d_cells, n);  // wrong
//=     int* d_result;
//=     CUDA_CHECK(cudaMalloc(&d_result, n * sizeof(int)));
//=     CUDA_CHECK(cudaMemcpy(d_result, d_cells, n * sizeof(int), cudaMemcpyDeviceToDevice));
//=     blur<<<(n + 63) / 64, 64>>>(d_cells, d_result, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(result.data(), d_cells, n * sizeof(int), cudaMemcpyDeviceToHost));  // wrong
//=     CUDA_CHECK(cudaMemcpy(result.data(), d_result, n * sizeof(int), cudaMemcpyDeviceToHost));
//=     CUDA_CHECK(cudaFree(d_result));
    CUDA_CHECK(cudaFree(d_cells));
    for (int i = 1; i < n - 1; i++)
        if (result[i] != (cells[i - 1] + cells[i] + cells[i + 1]) / 3) return 1;
    return 0;
}
