// Random numbers in kernels and from the host's calls, and algorithms of CUB.
#include <cub/cub.cuh>
#include <cuda_runtime.h>
#include <curand.h>
#include <curand_kernel.h>

#include <cstdio>

__global__ void draw(float* out) {
    curandState state;
    curand_init(7, threadIdx.x, 0, &state);
    out[threadIdx.x] = curand_uniform(&state);
}

__global__ void block_sum(const float* x, float* sum) {
    using reduce = cub::BlockReduce<float, 64>;
    __shared__ typename reduce::TempStorage memory;
    const float all = reduce(memory).Sum(x[threadIdx.x] < 0.5f ? 1 : 0);
    if (threadIdx.x == 0) *sum = all;
}

int main() {
    float *x, *sum, host[64], total = 0;
    cudaMalloc(&x, sizeof host);
    cudaMalloc(&sum, sizeof total);
    draw<<<1, 64>>>(x);
    cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
    block_sum<<<1, 64>>>(x, sum);
    cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost);
    std::printf("%d %g\n", host[0] > 0 && host[63] <= 1, total);
    curandGenerator_t generator;
    if (curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT) != CURAND_STATUS_SUCCESS) return 1;
    curandSetPseudoRandomGeneratorSeed(generator, 11);
    curandGenerateUniform(generator, x, 64);
    curandDestroyGenerator(generator);
    void* work = nullptr;
    size_t bytes = 0;
    cub::DeviceReduce::Sum(work, bytes, x, sum, 64);
    cudaMalloc(&work, bytes);
    cub::DeviceReduce::Sum(work, bytes, x, sum, 64);
    cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost);
    std::printf("%d\n", total > 20 && total < 44);
    cudaFree(x);
    cudaFree(sum);
    cudaFree(work);
}
