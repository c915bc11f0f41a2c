// A sum of a block, by shuffles within warps and shared memory between them.
#include <hip/hip_runtime.h>

#include <cstdio>

__device__ int warp_sum(int x) {
    for (int step = warpSize / 2; step > 0; step /= 2) x += __shfl_down(x, step);
    return x;
}

__global__ void sum(const int* in, int* out, int n) {
    __shared__ int parts[32];
    const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    int x = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) x += in[i];
    x = warp_sum(x);
    if (lane == 0) parts[warp] = x;
    __syncthreads();
    if (warp == 0) {
        x = lane < (int)blockDim.x / warpSize ? parts[lane] : 0;
        x = warp_sum(x);
        if (lane == 0) *out = x;
    }
}

__global__ void votes(unsigned* out) {
    const unsigned long long even = __ballot(threadIdx.x % 2 == 0);
    const int any = __any(threadIdx.x == 7), all = __all(threadIdx.x < 7);
    const int partner = __shfl_xor((int)threadIdx.x, 1);
    const int before = __shfl_up((int)threadIdx.x, 1), third = __shfl((int)threadIdx.x, 3);
    if (threadIdx.x == 5) {
        out[0] = even, out[1] = any, out[2] = all;
        out[3] = partner, out[4] = before, out[5] = third;
    }
}

int main() {
    const int n = 5000;
    int host[n], result = 0, *in, *out;
    for (int i = 0; i < n; ++i) host[i] = i % 7;
    hipMalloc(&in, sizeof host);
    hipMalloc(&out, sizeof(int));
    hipMemcpy(in, host, sizeof host, hipMemcpyHostToDevice);
    hipLaunchKernelGGL(sum, 1, 256, 0, 0, in, out, n);
    hipMemcpy(&result, out, sizeof result, hipMemcpyDeviceToHost);
    std::printf("sum %d\n", result);
    unsigned *votes_out, seen[6];
    hipMalloc(&votes_out, sizeof seen);
    votes<<<1, 32>>>(votes_out);
    hipMemcpy(seen, votes_out, sizeof seen, hipMemcpyDeviceToHost);
    std::printf("%x %u %u %u %u %u\n", seen[0], seen[1], seen[2], seen[3], seen[4], seen[5]);
    hipFree(in);
    hipFree(out);
    hipFree(votes_out);
}
