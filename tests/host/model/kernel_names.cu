// Kernels with the names of functions that C, C++ and CUDA's mathematics overload.
#include <cmath>
#include <cstdio>

__global__ void round(unsigned* out) { out[threadIdx.x] = 7; }
__global__ void gamma(float* out, float g) { out[threadIdx.x] = g; }
__global__ void fma(float* a, const float* b, float alpha) {
    a[threadIdx.x] += alpha * b[threadIdx.x];
}
__global__ void div(int* a, int by) { a[threadIdx.x] /= by; }
__global__ void max(int* a, const unsigned* b) {
    const int other = static_cast<int>(b[threadIdx.x]);
    a[threadIdx.x] = a[threadIdx.x] > other ? a[threadIdx.x] : other;
}
template <class T>
__global__ void abs(T* a) {
    a[threadIdx.x] = a[threadIdx.x] < 0 ? -a[threadIdx.x] : a[threadIdx.x];
}

int main() {
    constexpr int n = 32;
    unsigned* sevens;
    float* floats;
    int* numbers;
    cudaMallocManaged(&sevens, n * sizeof *sevens);
    cudaMallocManaged(&floats, n * sizeof *floats);
    cudaMallocManaged(&numbers, n * sizeof *numbers);
    for (int i = 0; i < n; ++i) numbers[i] = -2 * i;
    round<<<1, n>>>(sevens);
    gamma<<<1, n>>>(floats, 2.5f);
    fma<<<1, n>>>(floats, floats, 2.0f);
    abs<<<1, n>>>(numbers);
    div<<<1, n>>>(numbers, 2);
    max<<<1, n>>>(numbers, sevens);
    int failures = cudaDeviceSynchronize() != cudaSuccess;
    for (int i = 0; i < n; ++i)
        failures += sevens[i] != 7 || floats[i] != 7.5f || numbers[i] != (i > 7 ? i : 7);
    std::printf("%d failures, round(2.6) is %g\n", failures, std::round(2.6));
    return failures != 0;
}
