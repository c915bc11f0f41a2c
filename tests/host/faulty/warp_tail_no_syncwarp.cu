// finds: race line 17,18,19,20,21,22
// The last warp's steps rely on lanes in step, without __syncwarp.
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

__device__ void warpReduce(float* sdata, int tid) {
    sdata[tid] += sdata[tid + 32];  // wrong
    sdata[tid] += sdata[tid + 16];  // wrong
    sdata[tid] += sdata[tid + 8];  // wrong
    sdata[tid] += sdata[tid + 4];  // wrong
    sdata[tid] += sdata[tid + 2];  // wrong
    sdata[tid] += sdata[tid + 1];  // wrong
//=     for (int s = 32; s > 0; s >>= 1) {
//=         float other = sdata[tid + s];
//=         __syncwarp();
//=         sdata[tid] += other;
//=         __syncwarp();
//=     }
}

__global__ void blockSum(const float* in, float* out) {
    __shared__ float sdata[256];
    int tid = threadIdx.x;
    sdata[tid] = in[blockIdx.x * 256 + tid];
    __syncthreads();
    for (int s = 128; s > 32; s >>= 1) {
        if (tid < s) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid < 32) warpReduce(sdata, tid);
    if (tid == 0) out[blockIdx.x] = sdata[0];
}

int main() {
    const int blocks = 10, n = blocks * 256;
    std::vector<float> in(n), out(blocks);
    for (int i = 0; i < n; i++) in[i] = (i * 3) % 19;
    float *d_in, *d_out;
    CUDA_CHECK(cudaMalloc(&d_in, n * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&d_out, blocks * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    blockSum<<<blocks, 256>>>(d_in, d_out);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(out.data(), d_out, blocks * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_in));
    CUDA_CHECK(cudaFree(d_out));
    for (int b = 0; b < blocks; b++) {
        float sum = 0;
        for (int i = 0; i < 256; i++) sum += in[b * 256 + i];
        if (out[b] != sum) return 1;
    }
    return 0;
}
