// finds: race,uninitialised_read line 14,17
// The block's mean is used before thread 0 has worked it out.
#include <cstdio>
#include <vector>

#define COLUMNS 64

__global__ void centerRows(const int* in, int* out) {
    __shared__ int mean;
    const int* row = in + blockIdx.x * COLUMNS;
    if (threadIdx.x == COLUMNS - 1) {
        int sum = 0;
        for (int i = 0; i < COLUMNS; i++) sum += row[i];
        mean = sum / COLUMNS;
    }
//=     __syncthreads();
    out[blockIdx.x * COLUMNS + threadIdx.x] = row[threadIdx.x] - mean;
}

int main() {
    const int rows = 30, n = rows * COLUMNS;
    std::vector<int> in(n), out(n);
    for (int i = 0; i < n; i++) in[i] = (i * i) % 1000;
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    centerRows<<<rows, COLUMNS>>>(d_in, d_out);
    cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int r = 0; r < rows; r++) {
        int sum = 0;
        for (int c = 0; c < COLUMNS; c++) sum += in[r * COLUMNS + c];
        for (int c = 0; c < COLUMNS; c++)
            if (out[r * COLUMNS + c] != in[r * COLUMNS + c] - sum / COLUMNS) return 1;
    }
    return 0;
}
