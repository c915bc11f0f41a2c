// Kernels that never wait run as loops over the threads of a block: every thread's own place,
// parameters and way out.
#include "check.h"

__global__ void add_scaled(int n, float a, const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

// Parameters that each thread changes for itself.
__global__ void countdown(int n, int* x) {
    x += blockIdx.x * blockDim.x + threadIdx.x;
    while (n > static_cast<int>(threadIdx.x)) n -= 2;
    *x = n;
}

__global__ void place(int3* where, int wide) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= wide) return;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    const int high = gridDim.y * blockDim.y;
    where[(z * high + y) * wide + x] = make_int3(x, y, z);
}

// An index below zero is far beyond the bound.
__global__ void neighbours(const int* in, int* out, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (const unsigned at : {i - 1, i, i + 1})
        if (at < n) sum += in[at];
    if (i < n) out[i] = sum;
}

struct pair {
    double factor;
    int offset;
};
template <class T, int Step>
__global__ void with_template(T* x, pair p, int n) {
    for (int i = threadIdx.x; i < n; i += Step) {
        if (i % 3 == 0) continue;
        x[i] = static_cast<T>(i * p.factor) + p.offset;
        if (i > 90) break;
    }
}

__global__ void many_blocks(unsigned* x, unsigned n) {
    const unsigned long long i = blockIdx.x * 1ull + threadIdx.x;
    if (i >= n) x[i - n] = blockIdx.x;
}

__device__ int twice(int x) { return 2 * x; }
__global__ void calls(int* x) {
    const int t = threadIdx.x;
    x[t] = twice(t);
    if (t % 2 == 0) return;
    x[t] += 1;
}

int main() {
    for (const int threads : {1, 3, 8, 33, 256}) {
        const int n = 1003;
        std::vector<float> x(n), y(n + 64, -1);
        for (int i = 0; i < n; ++i) x[i] = static_cast<float>(i), y[i] = 1;
        float *in = device(x), *out = device(y);
        add_scaled<<<(n + threads - 1) / threads, threads>>>(n, 2, in, out);
        cudaFree(in);
        const auto got = taken(out, y.size());
        for (int i = 0; i < n + 64; ++i) expect("add_scaled", i, got[i], i < n ? 2 * i + 1 : -1);
    }
    {
        int* out = device(std::vector<int>(80));
        countdown<<<2, 40>>>(21, out);
        const auto got = taken(out, 80);
        for (int i = 0; i < 80; ++i) {
            int n = 21;
            while (n > i % 40) n -= 2;
            expect("countdown", i, got[i], n);
        }
    }
    for (const dim3 block : {dim3(1, 5, 3), dim3(7, 2, 2), dim3(16, 4)}) {
        const int wide = 37, high = 3 * block.y, deep = 2 * block.z;
        int3* out = device(std::vector<int3>(wide * high * deep));
        place<<<dim3((wide + block.x - 1) / block.x, 3, 2), block>>>(out, wide);
        const auto got = taken(out, wide * high * deep);
        for (int i = 0; i < wide * high * deep; ++i) {
            expect("place, x", i, got[i].x, i % wide);
            expect("place, y", i, got[i].y, i / wide % high);
            expect("place, z", i, got[i].z, i / wide / high);
        }
    }
    {
        const int n = 100;
        int* in = device(std::vector<int>(n, 1));
        int* out = device(std::vector<int>(n));
        neighbours<<<2, 64>>>(in, out, n);
        cudaFree(in);
        const auto got = taken(out, n);
        for (int i = 0; i < n; ++i) expect("neighbours", i, got[i], i == 0 || i == n - 1 ? 2 : 3);
    }
    {
        float* out = device(std::vector<float>(128, 5));
        with_template<float, 32><<<1, 32>>>(out, pair{0.5, 1}, 128);
        const auto got = taken(out, 128);
        for (int i = 0; i < 128; ++i) {
            const bool ended = i >= 96 && (i - 32) % 3 != 0 && i - 32 > 90;
            expect("with_template", i, got[i], i % 3 == 0 || ended ? 5 : i * 0.5f + 1);
        }
    }
    {
        const unsigned blocks = (1u << 21) + 7, n = blocks - 5;
        unsigned* out = device(std::vector<unsigned>(5));
        many_blocks<<<blocks, 1>>>(out, n);
        const auto got = taken(out, 5);
        for (unsigned i = 0; i < 5; ++i) expect("many_blocks", i, got[i], n + i);
    }
    {
        int* out = device(std::vector<int>(70));
        void* arguments[] = {&out};
        cudaLaunchKernel(reinterpret_cast<void*>(calls), dim3(1), dim3(70), arguments, 0, nullptr);
        const auto got = taken(out, 70);
        for (int i = 0; i < 70; ++i) expect("calls", i, got[i], 2 * i + i % 2);
    }
    return verdict();
}
