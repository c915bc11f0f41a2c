// finds: race line 16
// A thread's own pipeline: the stage is committed and released, but nobody waits for it.
#include <cstdio>
#include <cuda/pipeline>

constexpr int width = 96;

__global__ void doubled(const double* in, double* out) {
    __shared__ double own[width];
    auto pipe = cuda::make_pipeline();
    const int t = threadIdx.x;
    pipe.producer_acquire();
    cuda::memcpy_async(&own[t], in + blockIdx.x * width + t, sizeof(double), pipe);
    pipe.producer_commit();
//=     pipe.consumer_wait();
    out[blockIdx.x * width + t] = 2 * own[t];
    pipe.consumer_release();
}

int main() {
    const int n = 3 * width;
    double *in, *out;
    if (cudaMallocManaged(&in, n * sizeof(double)) != cudaSuccess) return 1;
    if (cudaMallocManaged(&out, n * sizeof(double)) != cudaSuccess) return 1;
    for (int i = 0; i < n; ++i) in[i] = i + 0.5;
    doubled<<<3, width>>>(in, out);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int i = 0; i < n; ++i)
        if (out[i] != 2 * in[i]) return 1;
    std::puts("ok");
    return cudaFree(in) != cudaSuccess || cudaFree(out) != cudaSuccess;
}
