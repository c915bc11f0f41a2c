// finds: illegal_address line 8
// A functor that is called on the device has a pointer to the host's vector.
#include <cstdio>
#include <vector>

struct scaled {
    const float* factors;
    __device__ float operator()(int i) const { return 2 * factors[i]; }
};

template <class Function>
__global__ void fill(float* to, int n, Function value) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = value(i);
}

int main() {
    const int n = 300;
    std::vector<float> factors(n, 1.5f), got(n);
    float *d_factors, *d_to;
    cudaMalloc(&d_factors, n * sizeof(float));
    cudaMalloc(&d_to, n * sizeof(float));
    cudaMemcpy(d_factors, factors.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    fill<<<3, 128>>>(d_to, n, scaled{factors.data()});    // wrong
//=     fill<<<3, 128>>>(d_to, n, scaled{d_factors});
    cudaMemcpy(got.data(), d_to, n * sizeof(float), cudaMemcpyDeviceToHost);
    bool ok = true;
    for (float v : got) ok = ok && v == 3;
    cudaFree(d_factors);
    cudaFree(d_to);
    std::printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
