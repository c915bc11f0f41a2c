// Random numbers in kernels and from the host's calls, and algorithms of CUB.
#include <hipcub/hipcub.hpp>
#include <hip/hip_runtime.h>
#include <hiprand/hiprand.h>
#include <hiprand/hiprand_kernel.h>

#include <cstdio>

__global__ void draw(float* out) {
    hiprandState state;
    hiprand_init(7, threadIdx.x, 0, &state);
    out[threadIdx.x] = hiprand_uniform(&state);
}

__global__ void block_sum(const float* x, float* sum) {
    using reduce = hipcub::BlockReduce<float, 64>;
    __shared__ typename reduce::TempStorage memory;
    const float all = reduce(memory).Sum(x[threadIdx.x] < 0.5f ? 1 : 0);
    if (threadIdx.x == 0) *sum = all;
}

int main() {
    float *x, *sum, host[64], total = 0;
    hipMalloc(&x, sizeof host);
    hipMalloc(&sum, sizeof total);
    draw<<<1, 64>>>(x);
    hipMemcpy(host, x, sizeof host, hipMemcpyDeviceToHost);
    block_sum<<<1, 64>>>(x, sum);
    hipMemcpy(&total, sum, sizeof total, hipMemcpyDeviceToHost);
    std::printf("%d %g\n", host[0] > 0 && host[63] <= 1, total);
    hiprandGenerator_t generator;
    if (hiprandCreateGenerator(&generator, HIPRAND_RNG_PSEUDO_DEFAULT) != HIPRAND_STATUS_SUCCESS) return 1;
    hiprandSetPseudoRandomGeneratorSeed(generator, 11);
    hiprandGenerateUniform(generator, x, 64);
    hiprandDestroyGenerator(generator);
    void* work = nullptr;
    size_t bytes = 0;
    hipcub::DeviceReduce::Sum(work, bytes, x, sum, 64);
    hipMalloc(&work, bytes);
    hipcub::DeviceReduce::Sum(work, bytes, x, sum, 64);
    hipMemcpy(&total, sum, sizeof total, hipMemcpyDeviceToHost);
    std::printf("%d\n", total > 20 && total < 44);
    hipFree(x);
    hipFree(sum);
    hipFree(work);
}
