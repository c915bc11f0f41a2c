// As much constant memory as there is: 64 KiB of several variables.
#include <cstdio>

__constant__ float first[8 * 1024], second[4 * 1024];
namespace tables {
__constant__ int third[4 * 1024 - 1], one = 5;
}

__global__ void sum(float* out) {
    float s = 0;
    for (int i = threadIdx.x; i < 4 * 1024; i += 32)
        s += first[2 * i] + second[i] + (i < 4 * 1024 - 1 ? tables::third[i] : tables::one);
    atomicAdd(out, s);
}

int main() {
    static float values[8 * 1024];
    static int numbers[4 * 1024];
    for (int i = 0; i < 8 * 1024; ++i) values[i] = i % 7;
    for (int i = 0; i < 4 * 1024; ++i) numbers[i] = i % 3;
    float* out = nullptr;
    bool good = cudaMemcpyToSymbol(first, values, sizeof first) == cudaSuccess &&
                cudaMemcpyToSymbol(second, values, sizeof second) == cudaSuccess &&
                cudaMemcpyToSymbol(tables::third, numbers, sizeof tables::third) == cudaSuccess &&
                cudaMalloc(&out, sizeof *out) == cudaSuccess &&
                cudaMemset(out, 0, sizeof *out) == cudaSuccess;
    sum<<<1, 32>>>(out);
    float got = -1, want = 5;
    good = good && cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost) == cudaSuccess;
    for (int i = 0; i < 4 * 1024; ++i) want += values[2 * i] + values[i];
    for (int i = 0; i < 4 * 1024 - 1; ++i) want += numbers[i];
    if (!good || got != want) return std::printf("%g, must be %g\n", got, want), 1;
    return std::puts("ok") < 0;
}
