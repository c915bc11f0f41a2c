// finds: use_after_free line 22
// Both ends of a pair of buffers that were swapped are freed by the same name.
#include <cstdio>
#include <utility>
#include <vector>

__global__ void step(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * 0.5f + 1;
}

int main() {
    const int n = 1000;
    float *now, *next;
    std::vector<float> host(n, 2);
    cudaMalloc(&now, n * sizeof(float));
    cudaMalloc(&next, n * sizeof(float));
    cudaMemcpy(now, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    for (int i = 0; i < 3; i++, std::swap(now, next)) step<<<4, 256>>>(now, next, n);
    cudaMemcpy(host.data(), now, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(now);
    cudaFree(now);  // wrong
//=     cudaFree(next);
    return host[n - 1] == 2 ? 0 : 1;
}
