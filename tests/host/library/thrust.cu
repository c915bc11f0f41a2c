// Thrust beside kernels: vectors, algorithms on raw device pointers, policies, iterators.
#include <thrust/copy.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/mr/allocator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/system/cuda/memory_resource.h>
#include <thrust/transform.h>

#include "check.h"

__global__ void square(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}

struct plus_one {
    __host__ __device__ int operator()(int x) const { return x + 1; }
};

/// Memory for Thrust's own needs.
struct counting_allocator {
    using value_type = char;
    int taken = 0;
    char* allocate(std::ptrdiff_t bytes) {
        ++taken;
        void* p = nullptr;
        cudaMalloc(&p, bytes);
        return static_cast<char*>(p);
    }
    void deallocate(char* p, std::size_t) { cudaFree(p); }
};

/// Pinned host vectors, policies with an allocator and a stream.
static void more_vectors() {
    using pinned = thrust::mr::stateless_resource_allocator<
        int, thrust::system::cuda::universal_host_pinned_memory_resource>;
    thrust::host_vector<int, pinned> host(100, 4);
    host[3] = 7;
    thrust::device_vector<int> x = host;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    counting_allocator allocator;
    thrust::sort(thrust::cuda::par(allocator).on(stream), x.begin(), x.end());
    thrust::sort(thrust::cuda::par_nosync.on(stream), x.begin(), x.end());
    MUST(x[99] == 7 && x[98] == 4);
    thrust::copy(x.begin(), x.end(), host.begin());
    MUST(host[99] == 7 && host[3] == 4);
    thrust::sequence(x.begin(), x.end(), 5);  // by a header that <thrust/sort.h> brings along
    MUST(x[99] == 104);
    MUST(*thrust::max_element(x.begin(), x.end()) == 104);
    cudaStreamDestroy(stream);
}

int main() {
    constexpr int n = 1000;
    more_vectors();
    thrust::host_vector<int> host(n);
    for (int i = 0; i < n; ++i) host[i] = (i * 7919) % n;
    thrust::device_vector<int> x = host, y(n);
    square<<<(n + 255) / 256, 256>>>(thrust::raw_pointer_cast(x.data()),
                                     thrust::raw_pointer_cast(y.data()), n);
    OK(cudaDeviceSynchronize());
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
    return verdict();
}
