// Atomic operations in shared and global memory.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <vector>

__global__ void histogram(const unsigned char* in, unsigned* bins, int n) {
    __shared__ unsigned own[16];
    if (threadIdx.x < 16) own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[in[i] % 16], 1u);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

__global__ void extremes(const int* in, int n, int* least, int* most, unsigned long long* count, float* sum) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicMin(least, in[i]);
    atomicMax(most, in[i]);
    atomicAdd(count, 1ull);
    unsafeAtomicAdd(sum, 0.5f);
    atomicCAS(least, -1000, 0);
}

int main() {
    const int n = 10000;
    std::vector<unsigned char> in(n);
    for (int i = 0; i < n; ++i) in[i] = i * i % 251;
    unsigned char* device;
    unsigned *bins, host[16];
    hipMalloc(&device, n);
    hipMalloc(&bins, sizeof host);
    hipMemset(bins, 0, sizeof host);
    hipMemcpy(device, in.data(), n, hipMemcpyHostToDevice);
    hipLaunchKernelGGL(histogram, 8, 128, 0, nullptr, device, bins, n);
    hipMemcpy(host, bins, sizeof host, hipMemcpyDeviceToHost);
    for (unsigned count : host) std::printf("%u ", count);
    struct { int least, most; unsigned long long count; float sum; } start = {1 << 30, -(1 << 30), 0, 0}, *found;
    std::vector<int> values(1000);
    for (int i = 0; i < 1000; ++i) values[i] = (i * 37) % 501 - 250;
    int* numbers;
    hipMalloc(&numbers, 1000 * sizeof(int));
    hipMalloc(&found, sizeof start);
    hipMemcpy(numbers, values.data(), 1000 * sizeof(int), hipMemcpyHostToDevice);
    hipMemcpy(found, &start, sizeof start, hipMemcpyHostToDevice);
    extremes<<<4, 256>>>(numbers, 1000, &found->least, &found->most, &found->count, &found->sum);
    hipMemcpy(&start, found, sizeof start, hipMemcpyDeviceToHost);
    std::printf("\n%d %d %llu %g\n", start.least, start.most, start.count, start.sum);
    hipFree(device);
    hipFree(bins);
    hipFree(numbers);
    hipFree(found);
}
