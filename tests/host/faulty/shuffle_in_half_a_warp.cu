// finds: barrier_divergence line 14,18
// The mask names all lanes, but half of them take another way.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

// Sums of the lower halves of warps.
__global__ void halfSums(const int* in, int* out) {
    int lane = threadIdx.x % 32;
    int value = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (lane < 16) {
        for (int offset = 8; offset > 0; offset /= 2) {
            value += __shfl_down_sync(0xffffffff, value, offset);  // wrong
//=             value += __shfl_down_sync(0x0000ffff, value, offset, 16);
        }
    }
    __syncthreads();
    if (lane == 0) out[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = value;
}

int main() {
    const int n = 1024, warps = n / 32;
    std::vector<int> in(n), out(warps);
    for (int i = 0; i < n; i++) in[i] = i * i % 50;
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, warps * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    halfSums<<<n / 128, 128>>>(d_in, d_out);
    cudaMemcpy(out.data(), d_out, warps * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int w = 0; w < warps; w++) {
        int want = 0;
        for (int i = 0; i < 16; i++) want += in[w * 32 + i];
        if (out[w] != want) return 1;
    }
    return 0;
}
