// What a device lets pass, though no rule allows it: votes by a mask that leaves out the lane itself,
// and reads a little outside of an allocation.
#include "check.h"

__global__ void below(unsigned* out) {
    const unsigned lane = threadIdx.x % 32, mask = (1u << lane) - 1;
    out[threadIdx.x] = __popc(__ballot_sync(mask, threadIdx.x % 3 == 0));
}

__global__ void around(const float* x, float* out, int n) {
    const int i = threadIdx.x;
    out[i] = (x[i - 1] + x[i] + x[i + 1]) * 0 + x[i];
    if (i == 0) out[0] = x[-64] == x[-64] ? x[0] : x[0];
    if (i == n - 1) out[i] = x[n + 64] == x[n + 64] ? x[i] : x[i];
}

int main() {
    unsigned* u;
    cudaMalloc(&u, 64 * sizeof(unsigned));
    below<<<1, 64>>>(u);
    std::vector<unsigned> votes(64);
    OK(cudaMemcpy(votes.data(), u, 256, cudaMemcpyDeviceToHost));
    for (unsigned w = 0; w < 2; ++w) {
        unsigned count = 0;
        for (unsigned i = w * 32; i < w * 32 + 32; ++i) {
            MUST(votes[i] == count);
            count += i % 3 == 0;
        }
    }
    // The whole of a mapped part, at both of its ends.
    constexpr size_t floats = (2 << 20) / sizeof(float);
    float *x, *out;
    cudaMalloc(&x, floats * sizeof(float));
    cudaMalloc(&out, 64 * sizeof(float));
    cudaMemset(x, 0, floats * sizeof(float));
    around<<<1, 64>>>(x, out, 64);
    OK(cudaDeviceSynchronize());
    around<<<1, 64>>>(x + floats - 64, out, 64);
    std::vector<float> got(64);
    OK(cudaMemcpy(got.data(), out, 256, cudaMemcpyDeviceToHost));
    for (const float v : got) MUST(v == 0);
    cudaFree(u), cudaFree(x), cudaFree(out);
    return verdict();
}
