// Code that relies on warps whose threads run in step, by volatile memory: the unrolled end of a
// reduction, a scan within a warp, a warp's histogram by tags, a lock, and a flag of another warp.
#include "check.h"

template <class T>
__device__ void last_warp(volatile T* s, int t) {
    s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
}

__global__ void reduce(const int* in, int* out) {
    __shared__ int s[256];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int k = 128; k > 32; k >>= 1) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    if (t < 32) last_warp(s, t);
    if (t == 0) out[blockIdx.x] = s[0];
}

/// Each step reads what the step before wrote: lanes must not be a step apart.
__global__ void scan(int* x) {
    __shared__ volatile int s[64];
    const int t = threadIdx.x;
    s[t] = 0;
    s[t + 32] = x[t];
    for (int k = 1; k < 32; k *= 2) s[t + 32] = s[t + 32] + s[t + 32 - k];
    x[t] = s[t + 32];
}

/// A loop's head without braces holds no store of its body.
__global__ void shift(int* x) {
    __shared__ volatile int s[32];
    const int t = threadIdx.x;
    for (int k = t; k < t + 1; k++) s[k] = x[k];
    for (int k = 0; k < 4; ++k) s[t] = s[(t + 1) % 32];
    x[t] = s[t];
}

/// The last lane that writes its tag has won, and the others try again.
__global__ void count(const unsigned* in, unsigned* bins, int n) {
    __shared__ volatile unsigned s[8];
    const unsigned t = threadIdx.x;
    if (t < 8) s[t] = 0;
    for (int i = t; i < n; i += 32) {
        unsigned seen;
        const unsigned bin = in[i];
        do {
            seen = s[bin] & 0x07ffffff;
            seen = (t << 27) | (seen + 1);
            s[bin] = seen;
        } while (s[bin] != seen);
    }
    if (t < 8) bins[t] = s[t] & 0x07ffffff;
}

__global__ void wait_for_warp(volatile int* flag, volatile int* value, int* out) {
    if (threadIdx.x < 32) {
        while (flag[0] == 0) {
        }
        out[threadIdx.x] = value[0];
    } else if (threadIdx.x == 63) {
        value[0] = 42;
        __threadfence();
        flag[0] = 1;
    }
}

int main() {
    std::vector<int> in(1024), out(64);
    for (int i = 0; i < 1024; ++i) in[i] = (i * 37) % 101;
    int *x, *y;
    cudaMalloc(&x, 1024 * sizeof(int));
    cudaMalloc(&y, 1024 * sizeof(int));
    cudaMemcpy(x, in.data(), 1024 * sizeof(int), cudaMemcpyHostToDevice);
    shift<<<1, 32>>>(x + 32);
    cudaMemcpy(out.data(), x + 32, 32 * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; ++i) MUST(out[i] == in[32 + (i + 4) % 32]);
    cudaMemcpy(x, in.data(), 1024 * sizeof(int), cudaMemcpyHostToDevice);
    reduce<<<4, 256>>>(x, y);
    cudaMemcpy(out.data(), y, 4 * sizeof(int), cudaMemcpyDeviceToHost);
    for (int b = 0; b < 4; ++b) {
        int sum = 0;
        for (int i = 0; i < 256; ++i) sum += in[b * 256 + i];
        MUST(out[b] == sum);
    }
    scan<<<1, 32>>>(x);
    cudaMemcpy(out.data(), x, 32 * sizeof(int), cudaMemcpyDeviceToHost);
    int sum = 0;
    for (int i = 0; i < 32; ++i) MUST(out[i] == (sum += in[i]));
    std::vector<unsigned> tags(1000), bins(8);
    std::vector<unsigned> wanted(8);
    for (int i = 0; i < 1000; ++i) ++wanted[tags[i] = (i * i + i / 7) % 8];
    cudaMemcpy(x, tags.data(), 1000 * sizeof(unsigned), cudaMemcpyHostToDevice);
    count<<<1, 32>>>(reinterpret_cast<unsigned*>(x), reinterpret_cast<unsigned*>(y), 1000);
    cudaMemcpy(bins.data(), y, 8 * sizeof(unsigned), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 8; ++i) MUST(bins[i] == wanted[i]);
    cudaMemset(x, 0, 8);
    wait_for_warp<<<1, 64>>>(x, x + 1, y);
    cudaMemcpy(out.data(), y, 32 * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; ++i) MUST(out[i] == 42);
    cudaFree(x), cudaFree(y);
    return verdict();
}
