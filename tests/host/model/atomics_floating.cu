// Atomics on float, double, half pairs and by compare and swap; sums that are exact in any order.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "check.h"

__global__ void sums(float* f, double* d) {
    __shared__ float local;
    __shared__ double wide;
    if (threadIdx.x == 0) local = 0, wide = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&f[0], 0.25f);
    atomicAdd(&d[0], i * 0.5);
    atomicAdd(&local, 1.5f);
    atomicAdd(&wide, -0.125);
    f[2 + i] = atomicAdd(&f[1], 1.0f);
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&d[1], double(local));
        atomicAdd(&d[2], wide);
    }
}

// As one writes it where there is none: the bits by compare and swap.
__device__ float atomic_max(float* address, float value) {
    int* bits = (int*)address;
    int old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
    } while (assumed != old);
    return __int_as_float(old);
}
__device__ double atomic_multiply(double* address, double value) {
    auto* bits = reinterpret_cast<unsigned long long*>(address);
    unsigned long long old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __double_as_longlong(value * __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}
__global__ void extremes(const float* values, int n, float* most, double* product) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomic_max(most, values[i]);
    if (i % 100 == 0) atomic_multiply(product, i % 200 ? 4.0 : 0.5);
}

// A lock of one thread a block, and the last block to come in, as threadFenceReduction has it.
__device__ int lock, guarded;
__device__ unsigned arrived;
__global__ void locked() {
    if (threadIdx.x != 0) return;
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence();
    guarded = guarded + 1;
    __threadfence();
    atomicExch(&lock, 0);
}
__global__ void last_block_sums(const float* values, float* partial, float* out) {
    __shared__ float cells[64];
    __shared__ bool last;
    const int t = threadIdx.x;
    cells[t] = values[blockIdx.x * 64 + t];
    __syncthreads();
    for (int step = 32; step > 0; step /= 2) {
        if (t < step) cells[t] += cells[t + step];
        __syncthreads();
    }
    if (t == 0) {
        partial[blockIdx.x] = cells[0];
        __threadfence();
        last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last || t != 0) return;
    float sum = 0;
    for (int b = 0; b < gridDim.x; ++b) sum += __ldcg(&partial[b]);
    *out = sum;
}

__global__ void small(__half2* pair, __half* one, __nv_bfloat162* brains) {
    atomicAdd(pair, __floats2half2_rn(1.0f, -0.5f));
    atomicAdd(one, __float2half(0.25f));
    atomicAdd(brains, __floats2bfloat162_rn(1.0f, 2.0f));
}

int main() {
    const int blocks = 30, threads = 70, n = blocks * threads;
    float* f = device<float>(n + 2);
    double* d = device<double>(3);
    OK(cudaMemset(f, 0, 8));
    OK(cudaMemset(d, 0, 24));
    sums<<<blocks, threads>>>(f, d);
    const std::vector<float> floats = taken(f, n + 2);
    const std::vector<double> doubles = taken(d, 3);
    expect("float", 0, floats[0], n * 0.25f);
    expect("float", 1, floats[1], n);
    std::vector<int> times(n);
    for (int i = 0; i < n; ++i)
        if (floats[2 + i] >= 0 && floats[2 + i] < n) ++times[int(floats[2 + i])];
    for (int i = 0; i < n; ++i) expect("old values", i, times[i], 1);
    expect("double", 0, doubles[0], n * (n - 1) * 0.25);
    expect("shared float", 0, doubles[1], n * 1.5);
    expect("shared double", 0, doubles[2], n * -0.125);

    std::vector<float> values(64 * 50);
    float sum = 0;
    for (int i = 0; i < 64 * 50; ++i) sum += values[i] = (i * 37 % 1001) - 500;
    values[1234] = 777.25f, sum += 777.25f - ((1234 * 37 % 1001) - 500);
    float *in = device<float>(values.size()), *most = device<float>(1);
    double* product = device<double>(1);
    const double one = 1;
    OK(cudaMemcpy(in, values.data(), values.size() * 4, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(most, values.data(), 4, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(product, &one, 8, cudaMemcpyHostToDevice));
    extremes<<<33, 100>>>(in, 64 * 50, most, product);
    expect("maximum", 0, taken(most, 1)[0], 777.25f);
    expect("product", 0, taken(product, 1)[0], 65536.0);

    for (int round = 1; round <= 2; ++round) {
        float *partial = device<float>(50), *out = device<float>(1);
        last_block_sums<<<50, 64>>>(in, partial, out);
        expect("last block", round, taken(out, 1)[0], sum);
        OK(cudaFree(partial));
    }
    locked<<<200, 33>>>();
    int count = 0;
    OK(cudaMemcpyFromSymbol(&count, guarded, sizeof count));
    expect("under the lock", 0, count, 200);

    __half2* pair = device<__half2>(1);
    __half* half = device<__half>(2);
    __nv_bfloat162* brains = device<__nv_bfloat162>(1);
    OK(cudaMemset(pair, 0, 4));
    OK(cudaMemset(half, 0, 4));
    OK(cudaMemset(brains, 0, 4));
    small<<<2, 50>>>(pair, half, brains);
    const __half2 p = taken(pair, 1)[0];
    expect("half pair", 0, __low2float(p), 100.0f);
    expect("half pair", 1, __high2float(p), -50.0f);
    expect("half", 0, __half2float(taken(half, 2)[0]), 25.0f);
    const __nv_bfloat162 b = taken(brains, 1)[0];
    expect("bfloat16 pair", 0, __low2float(b), 100.0f);
    expect("bfloat16 pair", 1, __high2float(b), 200.0f);
    OK(cudaFree(in));
    return verdict();
}
