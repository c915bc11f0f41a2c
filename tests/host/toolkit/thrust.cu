// Thrust beside kernels: vectors, algorithms on raw device pointers, policies, iterators.
#include <thrust/copy.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include <cstdio>

static int failures = 0;

#define MUST(condition)                                         \
    do {                                                        \
        if (!(condition)) {                                     \
            ++failures;                                         \
            std::printf("line %d: %s\n", __LINE__, #condition); \
        }                                                       \
    } while (0)

__global__ void square(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}

struct plus_one {
    __host__ __device__ int operator()(int x) const { return x + 1; }
};

int main() {
    constexpr int n = 1000;
    thrust::host_vector<int> host(n);
    for (int i = 0; i < n; ++i) host[i] = (i * 7919) % n;
    thrust::device_vector<int> x = host, y(n);
    square<<<(n + 255) / 256, 256>>>(thrust::raw_pointer_cast(x.data()),
                                     thrust::raw_pointer_cast(y.data()), n);
    MUST(cudaDeviceSynchronize() == cudaSuccess);
    for (int i = 0; i < n; i += 37) MUST(y[i] == host[i] * host[i]);
    thrust::sort(x.begin(), x.end());
    for (int i = 0; i < n; i += 41) MUST(x[i] == i);
    MUST(thrust::reduce(x.begin(), x.end(), 0) == n * (n - 1) / 2);

    int* raw = nullptr;
    cudaMalloc(&raw, n * sizeof(int));
    cudaMemcpy(raw, host.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    thrust::sort(thrust::device, raw, raw + n, thrust::greater<int>());
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    thrust::transform(thrust::cuda::par.on(stream), raw, raw + n, raw, plus_one());
    thrust::device_ptr<int> p(raw);
    MUST(p[0] == n && p[n - 1] == 1);
    thrust::exclusive_scan(p, p + n, p);
    int last = 0;
    cudaMemcpy(&last, raw + n - 1, sizeof last, cudaMemcpyDeviceToHost);
    MUST(last == n * (n + 1) / 2 - 1);
    MUST(thrust::reduce(thrust::device, thrust::counting_iterator<int>(0),
                        thrust::counting_iterator<int>(10)) == 45);
    thrust::copy(y.begin(), y.end(), host.begin());
    MUST(host[3] == ((3 * 7919) % n) * ((3 * 7919) % n));
    cudaStreamDestroy(stream);
    cudaFree(raw);
    std::printf("%d failures\n", failures);
    return failures != 0;
}
