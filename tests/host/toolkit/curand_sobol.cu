// cuRAND's Sobol sequences: the points of Joe and Kuo's direction numbers (as scipy.stats.qmc.Sobol
// has them), by the host API and in kernels, scrambled and of 64 bits.
#include <curand.h>
#include <curand_kernel.h>

#include "check.h"

__global__ void in_device(unsigned* out, curandDirectionVectors32_t* vectors, int points) {
    curandStateSobol32_t state;
    curand_init(vectors[threadIdx.x], 0, &state);
    for (int i = 0; i < points; ++i) out[threadIdx.x * points + i] = curand(&state);
}

static unsigned long long checksum(const std::vector<unsigned>& x, int dimensions, int points,
                                   int at) {
    unsigned long long sum = 0;
    for (int d = 0; d < dimensions; ++d)
        sum = sum * 31 + x[static_cast<std::size_t>(d * points + at)];
    return sum;
}

int main() {
    constexpr int dimensions = 64, points = 1024;
    unsigned* numbers;
    cudaMalloc(&numbers, dimensions * points * sizeof *numbers);
    std::vector<unsigned> x(dimensions * points), y(dimensions * points);
    const std::size_t bytes = x.size() * sizeof(unsigned);

    curandGenerator_t generator;
    OK(curandCreateGenerator(&generator, CURAND_RNG_QUASI_SOBOL32));
    MUST(curandSetPseudoRandomGeneratorSeed(generator, 1) == CURAND_STATUS_TYPE_ERROR);
    OK(curandSetQuasiRandomGeneratorDimensions(generator, dimensions));
    MUST(curandGenerate(generator, numbers, dimensions * points - 1) ==
         CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    OK(curandGenerate(generator, numbers, dimensions * points));
    cudaMemcpy(x.data(), numbers, bytes, cudaMemcpyDeviceToHost);
    const unsigned fifth[] = {0xe0000000, 0xe0000000, 0x20000000,
                              0x60000000, 0xe0000000, 0xa0000000};
    for (int d = 0; d < 6; ++d) MUST(x[static_cast<std::size_t>(d * points + 5)] == fifth[d]);
    MUST(checksum(x, dimensions, points, 1) == 0x89d4420000000000ULL);
    MUST(checksum(x, dimensions, points, 100) == 0xd0170c0688000000ULL);
    MUST(checksum(x, dimensions, points, 1000) == 0xf2f51c3687000000ULL);

    // It goes on where it was; an offset goes there at once.
    OK(curandGenerate(generator, numbers, dimensions * 2));
    unsigned next[2 * dimensions], again[2 * dimensions];
    cudaMemcpy(next, numbers, sizeof next, cudaMemcpyDeviceToHost);
    OK(curandSetGeneratorOffset(generator, points));
    OK(curandGenerate(generator, numbers, dimensions * 2));
    cudaMemcpy(again, numbers, sizeof again, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 2 * dimensions; ++i) MUST(next[i] == again[i]);
    curandDestroyGenerator(generator);

    curandDirectionVectors32_t *vectors, *there;
    OK(curandGetDirectionVectors32(&vectors, CURAND_DIRECTION_VECTORS_32_JOEKUO6));
    cudaMalloc(&there, dimensions * sizeof *there);
    cudaMemcpy(there, vectors, dimensions * sizeof *there, cudaMemcpyHostToDevice);
    in_device<<<1, dimensions>>>(numbers, there, points);
    cudaMemcpy(y.data(), numbers, bytes, cudaMemcpyDeviceToHost);
    MUST(x == y);

    // Each dimension of each kind is even: of 1024 points one in each of 1024 equal parts.
    for (const auto type : {CURAND_RNG_QUASI_SOBOL32, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32,
                            CURAND_RNG_QUASI_SOBOL64, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64}) {
        constexpr int many = 100;  // also behind those of Joe and Kuo
        double* values;
        cudaMallocManaged(&values, many * points * sizeof *values);
        OK(curandCreateGenerator(&generator, type));
        OK(curandSetQuasiRandomGeneratorDimensions(generator, many));
        OK(curandGenerateUniformDouble(generator, values, many * points));
        cudaDeviceSynchronize();
        for (int d = 0; d < many; ++d) {
            std::vector<int> hits(points);
            for (int i = 0; i < points; ++i) {
                // Uniform numbers exclude 0 and include 1.
                const double part = std::floor(values[d * points + i] * points);
                ++hits[static_cast<std::size_t>(std::fmin(part, points - 1))];
            }
            int uneven = 0;
            for (const int h : hits) uneven += h != 1;
            MUST(uneven == 0);
        }
        OK(curandGenerateNormalDouble(generator, values, many * points, 0, 1));
        cudaDeviceSynchronize();
        double sum = 0, squares = 0;
        for (int i = 0; i < many * points; ++i) sum += values[i], squares += values[i] * values[i];
        MUST(std::fabs(sum / (many * points)) < 0.02 &&
             std::fabs(squares / (many * points) - 1) < 0.05);
        unsigned long long* words = reinterpret_cast<unsigned long long*>(values);
        const bool is_64 =
            type == CURAND_RNG_QUASI_SOBOL64 || type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
        MUST(curandGenerateLongLong(generator, words, many) ==
             (is_64 ? CURAND_STATUS_SUCCESS : CURAND_STATUS_TYPE_ERROR));
        curandDestroyGenerator(generator);
        cudaFree(values);
    }

    // The other pseudo-random generators give uniform numbers too.
    for (const auto type : {CURAND_RNG_PSEUDO_MT19937, CURAND_RNG_PSEUDO_MTGP32}) {
        float* values;
        cudaMallocManaged(&values, 10000 * sizeof *values);
        OK(curandCreateGenerator(&generator, type));
        OK(curandSetPseudoRandomGeneratorSeed(generator, 42));
        OK(curandGenerateUniform(generator, values, 10000));
        cudaDeviceSynchronize();
        double sum = 0;
        for (int i = 0; i < 10000; ++i) sum += values[i];
        MUST(std::fabs(sum / 10000 - 0.5) < 0.02);  // seven standard errors
        curandDestroyGenerator(generator);
    }
    return verdict();
}
