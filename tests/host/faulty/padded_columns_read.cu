// finds: uninitialised_read line 15
// Rows are padded, and the sum goes over the padding too.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#define STRIDE 64

__global__ void rowSums(const float* matrix, float* sums, int rows, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int c = 0; c < columns; c++) {
        sum += matrix[row * STRIDE + c];
    }
    sums[row] = sum;
}

int main() {
    const int rows = 70, columns = 50;
    std::vector<float> matrix(rows * columns), sums(rows);
    for (int i = 0; i < rows * columns; i++) matrix[i] = i % 8;
    float *d_matrix, *d_sums;
    cudaMalloc(&d_matrix, rows * STRIDE * sizeof(float));
    cudaMalloc(&d_sums, rows * sizeof(float));
    cudaMemcpy2D(d_matrix, STRIDE * sizeof(float), matrix.data(), columns * sizeof(float),
                 columns * sizeof(float), rows, cudaMemcpyHostToDevice);
    rowSums<<<(rows + 31) / 32, 32>>>(d_matrix, d_sums, rows, STRIDE);  // wrong
//=     rowSums<<<(rows + 31) / 32, 32>>>(d_matrix, d_sums, rows, columns);
    cudaMemcpy(sums.data(), d_sums, rows * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_matrix);
    cudaFree(d_sums);
    for (int r = 0; r < rows; r++) {
        float want = 0;
        for (int c = 0; c < columns; c++) want += matrix[r * columns + c];
        if (sums[r] != want) return 1;
    }
    return 0;
}
