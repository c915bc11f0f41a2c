// cuRAND's host API: its numbers are those of the device generators, in the documented order; a
// seed repeats them, an offset skips some; and normal numbers have their moments.
#include <curand.h>
#include <curand_kernel.h>

#include "check.h"

__global__ void in_device(float* out, unsigned long long seed) {
    curandState_t state;
    curand_init(seed, threadIdx.x, 0, &state);
    out[threadIdx.x] = curand_uniform(&state);
}

int main() {
    constexpr int n = 10000;
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    curandGenerator_t generator;
    OK(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT));
    OK(curandSetPseudoRandomGeneratorSeed(generator, 1234ULL));
    OK(curandGenerateUniform(generator, x, n));
    in_device<<<1, 64>>>(y, 1234);
    std::vector<float> a(n), b(n);
    cudaMemcpy(a.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(b.data(), y, 64 * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; ++i) MUST(a[i] == b[i]);
    double sum = 0;
    for (const float v : a) {
        MUST(v > 0 && v <= 1);
        sum += v;
    }
    MUST(std::fabs(sum / n - 0.5) < 5 * 0.2887 / std::sqrt(n));
    curandSetPseudoRandomGeneratorSeed(generator, 1234ULL);
    curandSetGeneratorOffset(generator, 5);
    curandGenerateUniform(generator, y, 100);
    cudaMemcpy(b.data(), y, 100 * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 100; ++i) MUST(b[i] == a[i + 5]);
    MUST(curandGenerateNormal(generator, x, 3, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    OK(curandGenerateNormal(generator, x, n, 10, 2));
    cudaMemcpy(a.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
    double mean = 0, square = 0;
    for (const float v : a) mean += v / n, square += double(v) * v / n;
    MUST(std::fabs(mean - 10) < 5 * 2 / std::sqrt(n));
    MUST(std::fabs(std::sqrt(square - mean * mean) - 2) < 0.1);
    OK(curandDestroyGenerator(generator));
    cudaFree(x), cudaFree(y);
    return verdict();
}
