// curand_kernel.h's generators, in kernels: their first numbers, subsequences, and distributions.
// The first numbers are those that rocRAND's and cuRAND's documentation and Salmon's Random123
// known-answer tests give: Philox4x32-10 of key 0 and counter 0.
#include <curand_kernel.h>

#include "check.h"

__global__ void first_numbers(unsigned* out) {
    curandStatePhilox4_32_10_t philox;
    curand_init(0, 0, 0, &philox);
    for (int i = 0; i < 4; ++i) out[i] = curand(&philox);
    // The same sequence in other ways: an offset, and four at a time.
    curand_init(0, 0, 2, &philox);
    out[4] = curand(&philox);
    curand_init(0, 0, 0, &philox);
    const uint4 four = curand4(&philox);
    out[5] = four.w;
    curandState a, b;
    curand_init(1234, 5, 0, &a);
    curand_init(1234, 5, 3, &b);
    for (int i = 0; i < 3; ++i) curand(&a);
    out[6] = curand(&a) == curand(&b);
    curandStateMRG32k3a_t c, d;
    curand_init(99, 1, 0, &c);
    curand_init(99, 1, 2, &d);
    curand(&c);
    curand(&c);
    out[7] = curand(&c) == curand(&d);
}

__global__ void draw(float* uniform, float* normal, int n, int each) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    curandState_t state;
    curand_init(42, i, 0, &state);
    float u = 0, g = 0;
    for (int k = 0; k < each; ++k) {
        const float x = curand_uniform(&state);
        u += x > 0 && x <= 1 ? x : 1e9f;
        g += curand_normal(&state);
    }
    uniform[i] = u / each;
    normal[i] = g / each;
}

int main() {
    unsigned* words = nullptr;
    cudaMalloc(&words, 8 * sizeof(unsigned));
    first_numbers<<<1, 1>>>(words);
    unsigned w[8];
    OK(cudaMemcpy(w, words, sizeof w, cudaMemcpyDeviceToHost));
    MUST(w[0] == 0x6627e8d5 && w[1] == 0xe169c58d && w[2] == 0xbc57ac4c && w[3] == 0x9b00dbd8);
    MUST(w[4] == w[2] && w[5] == w[3] && w[6] == 1 && w[7] == 1);

    constexpr int n = 512, each = 64;
    float *u = nullptr, *g = nullptr;
    cudaMalloc(&u, n * sizeof(float));
    cudaMalloc(&g, n * sizeof(float));
    draw<<<n / 128, 128>>>(u, g, n, each);
    std::vector<float> hu(n), hg(n);
    cudaMemcpy(hu.data(), u, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(hg.data(), g, n * sizeof(float), cudaMemcpyDeviceToHost);
    double su = 0, sg = 0;
    for (int i = 0; i < n; ++i) su += hu[i], sg += hg[i];
    // Five standard deviations of the means.
    MUST(std::fabs(su / n - 0.5) < 5 * 0.2887 / std::sqrt(n * each));
    MUST(std::fabs(sg / n) < 5 / std::sqrt(n * each));
    return verdict();
}
