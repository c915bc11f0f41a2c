// finds: race,uninitialised_read line 26,27,30
// A tile is multiplied before the others have loaded it.
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

#define TILE_WIDTH 16

__global__ void matMulTiled(const float* A, const float* B, float* C, int width) {
    __shared__ float As[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Bs[TILE_WIDTH][TILE_WIDTH];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE_WIDTH + ty;
    int col = blockIdx.x * TILE_WIDTH + tx;
    float sum = 0.0f;
    for (int m = 0; m < width / TILE_WIDTH; m++) {
        As[ty][tx] = A[row * width + m * TILE_WIDTH + tx];
        Bs[ty][tx] = B[(m * TILE_WIDTH + ty) * width + col];
//=         __syncthreads();
        for (int k = 0; k < TILE_WIDTH; k++) {
            sum += As[ty][k] * Bs[k][tx];
        }
        __syncthreads();
    }
    C[row * width + col] = sum;
}

int main() {
    const int width = 64, size = width * width;
    std::vector<float> A(size), B(size), C(size);
    for (int i = 0; i < size; i++) {
        A[i] = i % 7;
        B[i] = i % 5;
    }
    float *d_A, *d_B, *d_C;
    CUDA_CHECK(cudaMalloc(&d_A, size * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&d_B, size * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&d_C, size * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(d_A, A.data(), size * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_B, B.data(), size * sizeof(float), cudaMemcpyHostToDevice));
    dim3 block(TILE_WIDTH, TILE_WIDTH), grid(width / TILE_WIDTH, width / TILE_WIDTH);
    matMulTiled<<<grid, block>>>(d_A, d_B, d_C, width);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(C.data(), d_C, size * sizeof(float), cudaMemcpyDeviceToHost));
    cudaFree(d_A);
    cudaFree(d_B);
    cudaFree(d_C);
    for (int r = 0; r < width; r++)
        for (int c = 0; c < width; c++) {
            float sum = 0;
            for (int k = 0; k < width; k++) sum += A[r * width + k] * B[k * width + c];
            if (C[r * width + c] != sum) return 1;
        }
    return 0;
}
